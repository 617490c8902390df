"""The execution that middleware stands round in both hosts. Standard library only."""

from pictures import picture


def outcome_of(run):
    """Return what came out of `run(terminal)`, and what each execution got; one fails where its payload says so."""
    executions = []

    def terminal(payload):
        executions.append(picture(payload))
        if payload.get("fail"):
            raise ValueError("the execution failed")
        return {"ran": payload}

    try:
        result = picture(run(terminal))
    except Exception as error:
        result = {"<raised>": type(error).__name__}
    return {"result": result, "executions": executions}
