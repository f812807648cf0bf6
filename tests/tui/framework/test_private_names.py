"""Every private name of Textual and Rich that `tui` uses, so that an upgrade that drops one fails here, by its name."""

import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

import tui

ROOT = Path(tui.__file__).parent
LIBRARIES = ("textual", "rich")
PRIVATE = re.compile(r"(?<!\w)_[a-z]\w*")
ELSEWHERE = {"_replace", "_exit"}
"""Names of Python's own, of a named tuple and of `os`, that these libraries use too."""


class Use(Struct, frozen=True):
    """`owner` is the module that has the name, or `module:class`; it may be a base of that class."""

    owner: str
    name: str
    files: tuple[str, ...]
    purpose: str

    def __str__(self) -> str:
        return f"{self.owner} {self.name}, in {' and '.join(self.files)}: {self.purpose}"


DRIVER = ("terminal/driver.py",)
RENDERING = ("framework/rendering.py",)
SCREEN = ("framework/screen.py",)
UPDATES = ("framework/rendering.py", "pictures/layer.py", "terminal/line_by_line.py")
USES = (
    # Modules
    Use("textual._compositor", "ChopsUpdate", UPDATES, "an update of parts of lines, and what is left out of it"),
    Use("textual._compositor", "Compositor", RENDERING, "renders only the rows that are drawn"),
    Use("textual._compositor", "CompositorUpdate", (*UPDATES, "pictures/pixels.py"), "anything that is drawn"),
    Use("textual._compositor", "LayoutUpdate", (*RENDERING, "terminal/line_by_line.py"), "an update of a whole region"),
    Use("textual._ansi_sequences", "ANSI_SEQUENCES_KEYS", ("terminal/input.py",), "which escape codes are keys"),
    Use("textual._keyboard_protocol", "FUNCTIONAL_KEYS", ("terminal/input.py",), "which of Kitty's codes are keys"),
    Use("textual._xterm_parser", "XTermParser", ("terminal/input.py",), "what a key or a mouse report means"),
    Use("textual._styles_cache", "StylesCache", ("framework/gc_tuning.py",), "its cache keeps closed screens alive"),
    # Drawing
    Use(
        "textual._compositor:Compositor", "_dirty_regions", SCREEN, "a new size draws everything, a covered screen none"
    ),
    Use("textual._compositor:Compositor", "_get_renders", RENDERING, "asks widgets only for the rows that are drawn"),
    Use("textual._compositor:Compositor", "_render_chops", RENDERING, "renders only runs of rows that have changed"),
    Use(
        "textual.screen:Screen", "_compositor", (*RENDERING, *SCREEN), "is RowCompositor; says which rows are in sight"
    ),
    Use("textual.screen:Screen", "_compositor_refresh", SCREEN, "draws nothing while held, resizing or covered"),
    Use("textual.screen:Screen", "_dirty_widgets", SCREEN, "a covered screen has nothing left to draw"),
    Use("textual.screen:Screen", "_on_resize", SCREEN, "a new size is drawn once"),
    Use("textual.screen:Screen", "_on_screen_resume", SCREEN, "the first frame isn't styled twice"),
    Use("textual.screen:Screen", "_on_timer_update", ("framework/first_frame.py",), "draws the first frame now"),
    Use("textual.widget:Widget", "_layout_required", ("framework/first_frame.py",), "one layout draws the first frame"),
    Use("textual.widget:Widget", "_repaint_required", ("framework/first_frame.py",), "and nothing is drawn twice"),
    Use("textual.app:App", "_batch_count", RENDERING, "updates that aren't written"),
    Use("textual.driver:Driver", "_size", DRIVER, "the size without the last rows, which are for news"),
    Use("textual.app:App", "_display", RENDERING, "pictures have the last word on an update"),
    Use("rich.segment:Segment", "_split_cells", RENDERING, "remembers fewer pieces of text that were cut"),
    Use("rich.style:Style", "_link_id", ("terminal/style_codes.py",), "one ID for all pieces of a link"),
    # Styles
    Use("textual.css.stylesheet:Stylesheet", "_process_component_classes", RENDERING, "styles parts on demand"),
    Use("textual.css.stylesheet:Stylesheet", "_variables", ("app.py",), "the app's own style sheet has the same"),
    Use("textual.dom:DOMNode", "_component_styles", RENDERING, "are made when they are asked for"),
    Use("textual.dom:DOMNode", "_get_component_classes", RENDERING, "which parts a widget has"),
    Use("textual.message_pump:MessagePump", "_attach", RENDERING, "a part is styled as a child of its widget"),
    Use("textual.app:App", "_filters", ("app.py", "controllers/appearance.py"), "filters of ours beside Textual's"),
    Use("textual.app:App", "_registered_themes", RENDERING, "the themes, not copied for each line"),
    Use("textual.app:App", "_watch_theme", ("controllers/appearance.py",), "a theme that changed under its name"),
    # Messages and keys
    Use("textual.message_pump:MessagePump", "_get_dispatch_methods", ("framework/messages.py",), "looked up once"),
    Use("textual.message_pump:MessagePump", "_decorated_handlers", ("framework/messages.py",), "declared with `on`"),
    Use("textual._on", "_textual_on", ("framework/messages.py",), "a handler that is declared with `on` as well"),
    Use(
        "textual.message:Message", "_no_default_action", ("framework/messages.py",), "prevents handlers of base classes"
    ),
    Use("textual.message_pump:MessagePump", "_dispatch_message", SCREEN, "a library's error doesn't end the screen"),
    Use("textual.app:App", "_check_bindings", ("app.py",), "sees each key that is bound"),
    Use("textual.widgets:Input", "_on_key", ("widgets/command_rows.py",), "takes a key before the field types it"),
    # Errors
    Use("textual.app:App", "_handle_exception", ("app.py", *DRIVER), "an error ends the app with a sentence"),
    Use("textual.app:App", "_fatal_error", ("app.py",), "draws no traceback"),
    Use("textual.app:App", "_exit_renderables", ("app.py",), "prints no traceback"),
    Use("textual.app:App", "_print_error_renderables", ("app.py",), "prints no traceback"),
    Use("textual.message_pump:MessagePump", "_close_messages_no_wait", ("app.py",), "ends the app after an error"),
    # The terminal
    Use("textual.app:App", "_build_driver", ("app.py",), "tells the driver what to do when the terminal is lost"),
    Use(
        "textual.app:App",
        "_driver",
        ("app.py", "controllers/appearance.py", "terminal/clipboard.py"),
        "writes to the terminal",
    ),
    Use("textual.driver:Driver", "_app", DRIVER, "whom messages are for"),
    Use("textual.driver:Driver", "_auto_restart", DRIVER, "whether ctrl+z restores the terminal"),
    Use("textual.driver:Driver", "_loop", DRIVER, "the app's thread"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_enable_mouse_support", DRIVER, "the start"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_file", DRIVER, "what to write to"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_get_terminal_size", DRIVER, "the size"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_key_thread", DRIVER, "the thread that reads"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_must_signal_resume", DRIVER, "back from ctrl+z"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_patch_iflag", DRIVER, "the terminal's raw mode"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_patch_lflag", DRIVER, "the terminal's raw mode"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_request_terminal_sync_mode_support", DRIVER, "the start"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_run_input_thread", DRIVER, "an error there ends the app"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_sigcont_application", DRIVER, "back from ctrl+z"),
    Use("textual.drivers.linux_driver:LinuxDriver", "_sigtstp_application", DRIVER, "ctrl+z"),
    Use("textual._xterm_parser:XTermParser", "_sequence_to_key_events", ("terminal/input.py",), "the keys of a code"),
)


def test_every_private_name_of_textual_and_rich_that_is_used_is_listed_here_and_no_other() -> None:
    listed = {(file, use.name) for use in USES for file in use.files}
    found = set(private_names_used(listed))
    assert sorted(found - listed) == []
    assert sorted(listed - found) == []


def test_each_of_them_is_still_there() -> None:
    assert [str(use) for use in USES if not is_there(use)] == []


def is_there(use: Use) -> bool:
    module, _, name = use.owner.partition(":")
    if find_spec(module) is None:
        return False
    owner = import_module(module)
    if name:
        return any(use.name in bound_by(one) for one in getattr(owner, name, object).__mro__[:-1])
    return hasattr(owner, use.name) or f'"{use.name}"' in inspect.getsource(owner)


# -- what our code uses -----------------------------------------------------------------------------------------


def private_names_used(listed: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """By file. What is `listed` counts as theirs even if they no longer have it."""
    theirs = names_of_libraries()
    of_classes = inherited()
    for path in sorted(ROOT.rglob("*.py")):
        file, tree = str(path.relative_to(ROOT)), ast.parse(path.read_text())
        imports = [one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom | ast.Import)]
        for module, name in [(one, name) for each in imports for one, name in imported(each)]:
            if any(part.startswith("_") for part in [*module.split("."), name]):
                yield file, name
        if not any(is_library(module) for each in imports for module, _name in imported(each)):
            continue
        foreign = (written_in(tree, own=False) & theirs) - bound_in(tree) - ELSEWHERE
        for name in written_in(tree):
            if name in foreign or (file, name) in of_classes or (file, name) in listed:
                yield file, name


def imported(node: ast.ImportFrom | ast.Import) -> list[tuple[str, str]]:
    """The modules of these libraries, with the name that is imported of each."""
    if isinstance(node, ast.Import):
        return [(one.name, one.name.rpartition(".")[2]) for one in node.names if is_library(one.name)]
    module = node.module or ""
    return [(module, one.name) for one in node.names] if not node.level and is_library(module) else []


def is_library(module: str) -> bool:
    return module.partition(".")[0] in LIBRARIES


def is_private(name: str) -> bool:
    return PRIVATE.fullmatch(name) is not None


def written_in(tree: ast.AST, *, own: bool = True) -> set[str]:
    """Private names of attributes and methods, and those that stand in a text, as for getattr.

    `own`: also those of `self` and `super()`, and what is defined there.
    """
    found = set(bound_in(tree)) if own else set()
    for one in ast.walk(tree):
        match one:
            case ast.Attribute(value=ast.Name(id="self") | ast.Call(func=ast.Name(id="super")), attr=name):
                found |= {name} if own else set()
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                found.add(name)
    return {name for name in found if is_private(name)}


@cache
def bound_in(tree: ast.AST) -> frozenset[str]:
    """Functions, classes, attributes of `self`, and names that a module's or a class's body assigns to."""
    found: set[str] = set()
    for one in ast.walk(tree):
        match one:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found.add(name)
        if isinstance(one, ast.ClassDef | ast.Module):
            targets = [
                each for line in one.body if isinstance(line, ast.Assign | ast.AnnAssign) for each in ast.walk(line)
            ]
            found |= {each.id for each in targets if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    return frozenset(found)


# -- what the libraries have ------------------------------------------------------------------------------------


def names_of_libraries() -> set[str]:
    texts = (
        path.read_text() for one in LIBRARIES for path in Path(str(import_module(one).__file__)).parent.rglob("*.py")
    )
    return {name for text in texts for name in PRIVATE.findall(text)}


def inherited() -> set[tuple[str, str]]:
    """The private names, by file, that a class of ours has in common with a base class of theirs."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    found = set()
    modules = [module for name, module in sys.modules.items() if name.startswith("tui.")]
    for one in {one for module in modules for one in vars(module).values() if isinstance(one, type)}:
        theirs = {name for base in one.__mro__ if is_library(base.__module__) for name in bound_by(base)}
        for part in one.__mro__ if theirs else ():
            if part.__module__.startswith("tui.") and (node := source_of(part)) is not None:
                file = str(Path(inspect.getfile(part)).relative_to(ROOT))
                found |= {(file, name) for name in written_in(node) & theirs}
    return found


@cache
def bound_by(one: type) -> set[str]:
    """The private names that a class itself has: in its body, and assigned to `self` in its methods."""
    node = source_of(one)
    return {name for name in {*vars(one), *(bound_in(node) if node else ())} if is_private(name)}


@cache
def source_of(one: type) -> ast.ClassDef | None:
    """None for a class that is made in a function."""
    module = sys.modules.get(one.__module__)
    node: ast.AST = (
        tree_of(str(module.__file__)) if module and getattr(module, "__file__", None) else ast.Module([], [])
    )
    for part in one.__qualname__.split("."):
        inside = [each for each in getattr(node, "body", []) if isinstance(each, ast.ClassDef) and each.name == part]
        if not inside:
            return None
        node = inside[0]
    return node if isinstance(node, ast.ClassDef) else None


@cache
def tree_of(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text() if file.endswith(".py") else "")
