"""What a run may cost, what it has cost, and what it would cost."""

from dataclasses import dataclass

from proctor.models.messages import Request


class BudgetError(RuntimeError):
    """The next call could pass the budget; it was not sent."""


@dataclass(frozen=True)
class Budget:
    """What a session may spend at most; None is no bound."""

    calls: int | None = None
    dollars: float | None = None


@dataclass
class Spent:
    """What a session has had sent so far, at most.

    Each attempt that was sent counts as a call, except one that was refused with a 429 or found no server. One that
    brought no readable reply counts with the most that it can have cost.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    dollars: float = 0.0
    unpriced: int = 0  # of the calls: to models without a price, which dollars leave out

    def __str__(self) -> str:
        """Calls, tokens and dollars in words.

        >>> print(Spent(3, 100, 20, 0.02, unpriced=1))
        3 new calls, 120 tokens, $0.02 and 1 calls to models without a price
        """
        tokens = f"{self.calls:,} new calls, {self.prompt_tokens + self.completion_tokens:,} tokens"
        if self.unpriced == self.calls > 0:
            return f"{tokens}, no price known"
        more = f" and {self.unpriced:,} calls to models without a price" if self.unpriced else ""
        return f"{tokens}, ${self.dollars:.2f}{more}"


@dataclass(frozen=True)
class Plan:
    """What a run would take. Tokens and dollars cover `to_ask` only.

    `prompt_tokens` is an estimate (four characters a token); `completion_tokens` the most that the requests allow.
    `dollars` is an upper bound, with a token for each byte that is sent, as budgets count; None where a model has no
    price. Attempts that fail and are made again come on top, and count against a budget.
    """

    calls: int
    recorded: int
    cached: int
    to_ask: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float | None

    def plus(self, request: Request, where: str, price: tuple[float, float] | None) -> "Plan":
        """With one more call, whose reply is in the recording, in the cache or missing; price of a token in and out."""
        missing, tokens = where == "missing", request.most_tokens
        cost = tokens * price[0] + request.max_tokens * price[1] if price else None
        known = self.dollars is not None and cost is not None
        return Plan(
            self.calls + 1,
            self.recorded + (where == "recording"),
            self.cached + (where == "cache"),
            self.to_ask + missing,
            self.prompt_tokens + missing * (request.characters // 4),
            self.completion_tokens + missing * request.max_tokens,
            self.dollars if not missing else self.dollars + cost if known else None,  # type: ignore[operator]
        )

    def __str__(self) -> str:
        cost = "no price known" if self.dollars is None else f"at most ${self.dollars:,.2f}"
        return (
            f"{self.calls:,} different calls: {self.recorded:,} recorded, {self.cached:,} cached, "
            f"{self.to_ask:,} to ask "
            f"(about {self.prompt_tokens:,} tokens in, at most {self.completion_tokens:,} out; {cost})"
        )
