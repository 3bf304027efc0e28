"""Workers that do the cells of a survey in the process of the test."""

from pathlib import Path

from irops.surveys.tasks import Examiner
from irops.work.outcomes import Died


class HereWorkers:
    """Workers in this process. done: the paths and tasks that were worked on; died: results in their place;
    stop_after: the number of cells after which the user presses Ctrl-C
    """

    count = 1

    def __init__(self, died: dict[str, Died] | None = None, stop_after: int | None = None) -> None:
        self.done: list[tuple[str, str]] = []
        self._died, self._stop_after = died or {}, stop_after

    def run(self, prepare, arguments, items, *, seconds, memory):
        settings, _, runtimes = arguments
        work = Examiner(settings, runtimes)
        for index, (path, task) in enumerate(items):
            if index == self._stop_after:
                raise KeyboardInterrupt
            self.done.append((Path(path).name, task.text))
            yield index, self._died.get(Path(path).name) or work((path, task))

    def require_files(self, paths):
        pass

    def close(self):
        pass
