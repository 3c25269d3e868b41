"""Process of `checkout.Looks`: imports Snakemake once, and forks for every command of which a line of JSON tells."""

import json
import os
import signal
import sys
import traceback

from snakemake.cli import get_argument_parser, main


def forked(arguments: list[str], folder: str, environment: dict[str, str], words: str) -> int:
    """Exit code of Snakemake in a child, which writes what it says into a file."""
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        code = 3
        try:
            file = os.open(words, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv = ["snakemake", *arguments]
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    get_argument_parser()  # imports the plugins
    for line in sys.stdin:
        print(forked(*json.loads(line)), flush=True)
