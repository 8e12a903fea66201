"""What a run may cost, what it has cost, and what it would cost.

A model that costs, or whose price is not known, is asked with a budget alone (`Session`): one that is given, or that
the environment holds, where commands put theirs for the notebooks that they run:

    PROCTOR_BUDGET        dollars, "500 calls", or "none": there is no limit
    PROCTOR_MAX_CALLS     calls
    PROCTOR_TOTAL_BUDGET  dollars of all runs on one cache together, which notes what each call has cost

`Account` keeps what a session may still spend while calls are in flight.
"""

import asyncio
import contextlib
import os
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from proctor import paths
from proctor.models.cache import Cache
from proctor.models.endings import CallError
from proctor.models.messages import Reply, Request
from proctor.models.registry import ModelError, is_free, price

VARIABLES = {"calls": "PROCTOR_MAX_CALLS", "dollars": "PROCTOR_BUDGET", "total": "PROCTOR_TOTAL_BUDGET"}


class BudgetError(RuntimeError):
    """The next call could pass the budget; it was not sent."""


@dataclass(frozen=True)
class Budget:
    """What a session may spend at most; None is no bound, and `Budget()` says that there is no limit. `total` is in
    dollars, of all runs on its cache, those before among them."""

    calls: int | None = None
    dollars: float | None = None
    total: float | None = None

    @classmethod
    def of(cls, given: "Budget | float | str | None") -> "Budget | None":
        """A budget as a notebook's parameter `budget` gives it: dollars, "500 calls" or "none"; None gives none.

        Raises ValueError for anything else."""
        if given is None or isinstance(given, Budget):
            return given
        word, _, unit = str(given).strip().lower().partition(" ")
        try:
            if (word, unit) == ("none", ""):
                return cls()
            found = cls(calls=int(word)) if unit in ("call", "calls") else cls(dollars=float(word.removeprefix("$")))
            if unit in ("", "call", "calls", "dollars") and (found.calls or found.dollars or 0) >= 0:
                return found
        except ValueError:
            pass
        raise ValueError(f'budget {given!r}: give dollars (5), calls ("500 calls"), or "none" for no limit')

    @classmethod
    def of_options(
        cls, dollars: float | None, calls: int | None, total: float | None = None, no_budget: bool = False
    ) -> "Budget | None":
        """That of --budget, --max-calls, --total-budget and --no-budget. Raises ValueError where they disagree."""
        if (dollars, calls, total) == (None, None, None):
            return cls() if no_budget else None
        if no_budget:
            raise ValueError("--no-budget says that there is no limit: leave it out, or the bounds")
        return cls(calls, dollars, total)

    @classmethod
    def here(cls) -> "Budget | None":
        """The budget that the environment holds."""
        calls, dollars, total = map(os.environ.get, VARIABLES.values())
        given = narrower(cls.of(dollars or None), cls.of(f"{calls} calls" if calls else None))
        overall = cls.of(total or None)
        if overall and overall.dollars is None:
            raise ValueError(f"{VARIABLES['total']} {total!r}: give dollars (5)")
        return narrower(given, overall and cls(total=overall.dollars))

    def keep(self) -> None:
        """Have all sessions of this process, and of those that it starts, keep this budget too."""
        os.environ.update(narrower(self, Budget.here()).environment)  # type: ignore[union-attr]

    @property
    def environment(self) -> dict[str, str]:
        """The variables that `here` reads."""
        given = {VARIABLES[name]: str(bound) for name, bound in vars(self).items() if bound is not None}
        return given or {"PROCTOR_BUDGET": "none"}

    def __str__(self) -> str:
        """The bounds in words.

        >>> print(Budget(500, 3.0))
        $3.00 and 500 calls
        """
        dollars = [] if self.dollars is None else [in_dollars(self.dollars)]
        calls = [] if self.calls is None else [f"{self.calls:,} calls"]
        total = [] if self.total is None else [f"{in_dollars(self.total)} over all runs"]
        return " and ".join(dollars + calls + total) or "no limit"


def in_dollars(amount: float) -> str:
    """An amount in words: to the cent, and what is less than a cent to one digit.

    >>> in_dollars(1234.5), in_dollars(0.00142), in_dollars(0)
    ('$1,234.50', '$0.001', '$0.00')
    """
    return f"${amount:,.2f}" if amount >= 0.005 or not amount else f"${float(f'{amount:.1g}'):.12f}".rstrip("0")


def narrower(one: Budget | None, other: Budget | None) -> Budget | None:
    """What both allow; None where neither is given."""
    if one is None or other is None:
        return one or other
    pairs = (one.calls, other.calls), (one.dollars, other.dollars), (one.total, other.total)
    return Budget(*(min((n for n in pair if n is not None), default=None) for pair in pairs))  # type: ignore[arg-type]


@dataclass
class Spent:
    """What a session has had sent so far, at most.

    Each attempt that was sent counts as a call, except one that was refused with a 429 or found no server. One that
    brought no readable reply counts with the most that it can have cost. `unpriced` counts the calls to each model
    without a price, which dollars leave out.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: Counter[str] = field(default_factory=Counter)

    @property
    def cost(self) -> str:
        """Dollars in words, and how many models have no price.

        >>> Spent(3, 100, 20, 0.02, Counter(mine=1)).cost
        '$0.02 and 1 model without a price'
        """
        if not self.unpriced:
            return in_dollars(self.dollars)
        models = f"{len(self.unpriced)} model{'s' if len(self.unpriced) > 1 else ''} without a price"
        return (
            f"no price, {models}" if self.unpriced.total() == self.calls else f"{in_dollars(self.dollars)} and {models}"
        )

    def __str__(self) -> str:
        return f"{self.calls:,} new calls, {self.prompt_tokens + self.completion_tokens:,} tokens, {self.cost}"


def dollars_at_most(request: Request) -> float | None:
    """What a call can cost; None without a price."""
    cost = price(request.model)
    return request.most_tokens * cost[0] + request.max_tokens * cost[1] if cost else None


@dataclass(frozen=True)
class Plan:
    """What a run would take. Tokens and dollars cover `to_ask` only.

    `prompt_tokens` is an estimate (four characters a token); `completion_tokens` the most that the requests allow.
    `dollars` is an upper bound, with a token for each byte that is sent, as budgets count; None where a model has no
    price. Attempts that fail and are made again come on top, and count against a budget. `expected` is what it costs
    with replies as long as the mean of `replies` replies to requests of the same kind; None where none are known.
    """

    calls: int
    recorded: int
    cached: int
    to_ask: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None
    expected: float | None = None
    replies: int = 0

    @classmethod
    def of(cls, calls: Collection[tuple[Request, str]]) -> "Plan":
        """Of requests and where their replies are: recording, cache or missing."""
        count = Counter(where for _, where in calls)
        missing = [request for request, where in calls if where == "missing"]
        dollars = list(map(dollars_at_most, missing))
        return cls(
            len(calls),
            count["recording"],
            count["cache"],
            len(missing),
            sum(request.characters // 4 for request in missing),
            sum(request.max_tokens for request in missing),
            None if None in dollars else sum(dollars),  # type: ignore[arg-type]
        )

    def __str__(self) -> str:
        cost = "no price known" if self.dollars is None else f"at most {in_dollars(self.dollars)}"
        if self.expected is not None and self.dollars:
            cost += f", expected about {in_dollars(self.expected)} from {self.replies:,} replies of this kind"
        return (
            f"{self.calls:,} different calls: {self.recorded:,} recorded, {self.cached:,} cached, "
            f"{self.to_ask:,} to ask "
            f"(about {self.prompt_tokens:,} tokens in, at most {self.completion_tokens:,} out; {cost})"
        )


class Account:
    """What a session has spent of its budget. A call in flight holds the most that it can cost, in the cache too."""

    def __init__(self, budget: Budget | None, cache: Cache):
        self.budget, self.cache, self.spent = budget, cache, Spent()

    def begin(self) -> None:
        """In an event loop of its own, where no call is in flight yet."""
        self._reserved, self._in_flight = 0.0, 0
        self._freed = asyncio.Event()  # set, and replaced, when a call is through

    def allows(self, models: Iterable[str]) -> None:
        """Raises ModelError for a model that costs where there is no budget, and for one without a price where it is in
        dollars."""
        costly = [name for name in models if not is_free(name)]
        unpriced = [name for name in costly if price(name) is None]
        if costly and self.budget is None:
            has = "has no price" if costly[0] in unpriced else "costs money"
            more = f" (and {len(costly) - 1} more)" if costly[1:] else ""
            raise ModelError(
                f"nothing was asked: {costly[0]}{more} {has}, and there is no budget. Give --budget DOLLARS or "
                '--max-calls N, or say --no-budget; in a notebook: budget = 5, budget = "500 calls" or budget = "none"'
            )
        if unpriced and self.budget and (self.budget.dollars, self.budget.total) != (None, None):
            raise ModelError(
                f"nothing was asked: {unpriced[0]} has no price: no budget in dollars can hold. "
                f"Add its price to {paths.OWN_PARAMS / 'my_prices.yaml'}, or bound the calls: --max-calls 500, in a "
                'notebook budget = "500 calls"'
            )

    async def reserve(self, request: Request) -> str:
        """Set aside the most that a call can cost, here and in the cache, before it is sent; wait while calls in flight
        may yet leave room for it. The name of the call, for `attempt`."""
        most, budget, call = dollars_at_most(request) or 0.0, self.budget or Budget(), uuid.uuid4().hex
        while True:
            here = (budget.calls is None or self.spent.calls + self._in_flight < budget.calls) and (
                budget.dollars is None or self.spent.dollars + self._reserved + most <= budget.dollars
            )
            if here and (not most or self.cache.reserve(call, request.model, most, budget.total)):
                break
            if not self._in_flight:
                bound, spent = f"budget for this run, {replace(budget, total=None)}", self.spent.dollars
                if here:
                    bound, spent = f"total budget, {Budget(total=budget.total)}", self.cache.paid()
                raise BudgetError(
                    f"the next call could pass the {bound}: {self.spent.calls} calls in this run and ${spent:.4f} are "
                    "spent. The replies are kept; raise the budget and run again"
                )
            await self._freed.wait()
        self._reserved += most
        self._in_flight += 1
        return call

    @contextlib.contextmanager
    def attempt(self, request: Request, call: str) -> Iterator[list[Reply]]:
        """One attempt at a call that has its money set aside: count what it cost when it is through. The reply is put
        into the list; without one the most counts, except where a CallError says that nothing was sent."""
        most, came, sent = dollars_at_most(request) or 0.0, list[Reply](), True
        try:
            yield came
        except CallError as error:
            sent = error.sent
            raise
        finally:
            dollars = self._counted(request, came, most) if sent else 0.0
            if most:
                self.cache.settle(call, dollars)
            self._reserved -= most
            self._in_flight -= 1
            self._freed.set()
            self._freed = asyncio.Event()

    def _counted(self, request: Request, came: list[Reply], most: float) -> float:
        """Count what was sent: what the reply used, of a count that the server does not give the most that it can be,
        and `most` dollars where no reply came. Its dollars."""
        self.spent.calls += 1
        cost = price(request.model) or (0.0, 0.0)
        if price(request.model) is None and not is_free(request.model):
            self.spent.unpriced[request.model] += 1
        for reply in came:
            self.spent.prompt_tokens += reply.prompt_tokens
            self.spent.completion_tokens += reply.completion_tokens
            said = reply.completion_tokens or (request.max_tokens if reply.text else 0)
            most = (reply.prompt_tokens or request.most_tokens) * cost[0] + said * cost[1]
        self.spent.dollars += most
        return most
