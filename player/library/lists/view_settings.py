"""How the listener wants each view shown: its order, and whether played episodes are hidden."""

from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.model.filters import AS_IT_IS, Order, ViewSettings


class ViewSettingsStore:
    """`view` is a view's key."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, view: str) -> ViewSettings:
        """An order that this version of Earmark doesn't know is replaced by the view's own."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT order_by, hide_played FROM view_settings WHERE view = ?", (view,)
            ).fetchone()
            check_kinds(row[:1] if row else ())
        if row is None:
            return AS_IT_IS
        order_by, hide_played = row
        return ViewSettings(Order(order_by) if order_by in set(Order) else None, bool(hide_played))

    def set(self, view: str, settings: ViewSettings) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM view_settings WHERE view = ?", (view,))
            if settings != AS_IT_IS:
                connection.execute(
                    "INSERT INTO view_settings (view, order_by, hide_played) VALUES (?, ?, ?)",
                    (view, settings.order or "", int(settings.hide_played)),
                )
