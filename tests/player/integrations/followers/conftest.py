from tests.player.integrations.served import bus, session

__all__ = ["bus", "session"]
