"""`agent_signals`: launches, ends and resumes of background agents, shells, workflows, teammates and monitors."""

from tracelake.schema import Column, Table
from tracelake.tables.common import IS_SIDECHAIN, LINE_NO, OCCURRED_AT, RECORD_NO

AGENT_SIGNALS = Table(
    "agent_signals",
    "signal of a background agent, shell, workflow, teammate or monitor",
    (
        LINE_NO,
        RECORD_NO,
        Column("seq", "int64", "Running number of the signal.", "0-based within the file"),
        Column("signal", "string", "launched, ended or resumed.", "", "B-1", few_values=True),
        Column(
            "target_kind",
            "string",
            "agent, shell, workflow, teammate or monitor; NULL where the file does not say.",
            "",
            "B-1",
            few_values=True,
        ),
        Column("agent_id", "string", "Id of the agent or task the signal is about.", "", "B-1"),
        Column(
            "status",
            "string",
            "completed, failed, killed or stopped of an end, else empty.",
            "",
            "B-2",
            few_values=True,
        ),
        Column("key", "string", "The same in every copy of the record: forks repeat it.", "", "B-1, B-2"),
        Column(
            "notice_key",
            "string",
            "Hash of a notice from its opening to its closing tag, the same in all carriers; NULL for other signals.",
            "hex",
        ),
        Column(
            "tool_use_id",
            "string",
            "The call a result belongs to; of a notice the launching call that it names.",
            "",
            "parser.md 8.9",
        ),
        Column("tool_name", "string", "Tool of that call, where the file holds it.", few_values=True),
        Column(
            "carrier",
            "string",
            "call_result (of the launching call), user_text, user_block, queued_command, queue_operation (notices), "
            "output_result (TaskOutput, BashOutput), stop_result (TaskStop, KillShell), message_result (SendMessage), "
            "task_status, teammate_message or journal.",
            "",
            "parser.md 8.9",
            few_values=True,
        ),
        Column("run_id", "string", "Run of a workflow, or the run whose journal the signal is from."),
        Column("description", "string", "What the launching call or the notice says the task is."),
        Column(
            "strict", "bool", "The exact rule counts the signal; valid where files.strict_error is NULL.", "", "B-1"
        ),
        IS_SIDECHAIN,
        OCCURRED_AT,
    ),
)
