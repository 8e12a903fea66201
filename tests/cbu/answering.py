"""What stands in for a session in these tests."""

from proctor.models.settings import Settings


class Answering:
    """Keeps what it is asked in `asked`, and gives `reply(request)` of each."""

    settings, stand_ins = Settings(), 0

    def __init__(self):
        self.asked = []

    async def ask_many(self, requests, what=""):
        requests = list(requests)
        self.asked += requests
        return [self.reply(r) for r in requests]
