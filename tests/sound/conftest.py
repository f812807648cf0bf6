from tests.sound.sound_server import sound, sound_server

__all__ = ["sound", "sound_server"]
