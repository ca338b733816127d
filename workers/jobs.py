"""The Celery jobs. Each takes one id, may be delivered twice, and writes its result to the database."""

from __future__ import annotations

from workers.app import app


@app.task(name="workers.jobs.check_submission")
def check_submission(submission_id: str) -> None:
    """Check an uploaded file."""
    from workers.checking import check

    check(submission_id)


@app.task(name="workers.jobs.start_cells")
def start_cells(submission_id: str) -> None:
    """Plan the cells of a checked submission and send them."""
    from workers import outage
    from workers.planning import start

    outage.retry_while_database_is_down(lambda: start(submission_id))


@app.task(name="workers.jobs.run_cell")
def run_cell(task_run_id: int) -> None:
    """Evaluate one cell."""
    from workers.cells import run

    run(task_run_id)


@app.task(name="workers.jobs.finish")
def finish(submission_id: str) -> None:
    """Assemble the report."""
    from workers import outage
    from workers.finishing import finish

    outage.retry_while_database_is_down(lambda: finish(submission_id))


@app.task(name="workers.jobs.prepare_vectors")
def prepare_vectors(submission_id: str) -> None:
    """Prepare an entry's vectors again on this machine."""
    from workers.page_jobs import carry_out

    carry_out("prepare_vectors", submission_id)


@app.task(name="workers.jobs.make_lists")
def make_lists(study_id: str) -> None:
    """Make the lists of a study with people."""
    from workers.people_lists import make

    make(study_id)


@app.task(name="workers.jobs.correlate")
def correlate(pair_id: int | str) -> None:
    """Compute the ranking correlation of two entries."""
    from workers.page_jobs import carry_out

    carry_out("correlate", str(pair_id))


@app.task(name="workers.jobs.compare")
def compare(pair_id: int | str) -> None:
    """Compare two entries in detail."""
    from workers.page_jobs import carry_out

    carry_out("compare", str(pair_id))


@app.task(name="workers.jobs.deviate")
def deviate(deviation_id: int | str) -> None:
    """Measure how far an entry is from people's lists."""
    from workers.page_jobs import carry_out

    carry_out("deviate", str(deviation_id))


@app.task(name="workers.jobs.rank")
def rank(board: str) -> None:
    """Compute the ranks of a board."""
    from workers import standings
    from workers.page_jobs import carry_out

    carry_out("rank", board)
    standings.ask_again(board)


@app.task(name="workers.jobs.sweep")
def sweep() -> None:
    """Restart lost work."""
    from workers.sweeper import sweep

    sweep()


@app.task(name="workers.jobs.forget_raters")
def forget_raters() -> None:
    """Delete the raters of studies whose retention time is over."""
    from benchmark.people.retention import forget_due

    forget_due()


@app.task(name="workers.jobs.tidy")
def tidy() -> None:
    """Delete expired files and rows."""
    from benchmark.compare.retention import forget_old
    from benchmark.operations.retention import tidy

    forget_old()
    tidy()
