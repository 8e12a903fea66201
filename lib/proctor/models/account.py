"""What a session may still spend, while calls are in flight."""

import asyncio
import uuid
from collections.abc import Iterable
from dataclasses import replace

from proctor import paths
from proctor.models.cache import Cache
from proctor.models.messages import Reply, Request
from proctor.models.registry import ModelError, is_free, price
from proctor.models.spending import Budget, BudgetError, Spent


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

    async def reserve(self, most: float, model: str) -> str:
        """Set aside the most that a call can cost, here and in the cache; wait while calls in flight may yet leave room
        for it. Returns the call's name in the cache."""
        budget, call = self.budget or Budget(), uuid.uuid4().hex
        while True:
            here = (budget.calls is None or self.spent.calls + self._in_flight < budget.calls) and (
                budget.dollars is None or self.spent.dollars + self._reserved + most <= budget.dollars
            )
            if here and (not most or self.cache.reserve(call, model, most, budget.total)):
                break
            if not self._in_flight:
                bound, spent = f"budget for this run, {replace(budget, total=None)}", f"${self.spent.dollars:.4f}"
                if here:
                    bound, spent = (
                        f"total budget, {replace(budget, calls=None, dollars=None)}",
                        f"${self.cache.paid():.4f}",
                    )
                raise BudgetError(
                    f"the next call could pass the {bound}: {self.spent.calls} calls in this run and {spent} are "
                    "spent. The replies are kept; raise the budget and run again"
                )
            await self._freed.wait()
        self._reserved += most
        self._in_flight += 1
        return call

    def settle(self, call: str, most: float, paid: float) -> None:
        """The call is through and has cost so much."""
        if most:
            self.cache.settle(call, paid)
        self._reserved -= most
        self._in_flight -= 1
        self._freed.set()
        self._freed = asyncio.Event()

    def count(self, reply: Reply, request: Request, cost: tuple[float, float]) -> float:
        """Count what a call used; of a count that the server does not give, the most that it can be. Its dollars."""
        self._count_call(request.model)
        self.spent.prompt_tokens += reply.prompt_tokens
        self.spent.completion_tokens += reply.completion_tokens
        said = reply.completion_tokens or (request.max_tokens if reply.text else 0)
        dollars = (reply.prompt_tokens or request.most_tokens) * cost[0] + said * cost[1]
        self.spent.dollars += dollars
        return dollars

    def count_most(self, model: str, most: float) -> float:
        """Count a call that was sent and brought no reply, at the most that it can have cost."""
        self._count_call(model)
        self.spent.dollars += most
        return most

    def _count_call(self, model: str) -> None:
        self.spent.calls += 1
        if price(model) is None and not is_free(model):
            self.spent.unpriced[model] += 1
