"""Taking a probe's report in: `run.sh take-probe FOLDER`."""
