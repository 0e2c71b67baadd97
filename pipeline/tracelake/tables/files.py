"""`files`: every file that discovery met, transcripts and others, with what was found in it."""

from tracelake.schema import Column, Table

FILES = Table(
    "files",
    "source file",
    (
        Column("source", "string", "Source folder or file the user named under which it was found."),
        Column(
            "project",
            "string",
            "Name of the folder below `projects` (else the parent folder's name); Codex and pi: the name Claude Code gives the session's folder.",
            few_values=True,
        ),
        Column(
            "kind",
            "string",
            "main, subagent, workflow_subagent, legacy_subagent, journal, sidecar or unrecognised.",
            "",
            "S-1",
            few_values=True,
        ),
        Column("reason", "string", "Why a file that is not a transcript was not read as one; NULL for transcripts."),
        Column("agent_id", "string", "Sub-agent id from the file name; NULL for main files.", "", "S-1"),
        Column("bytes", "int64", "Size of the file when it was read.", "bytes"),
        Column("mtime", "timestamp", "Modification time of the file when it was read.", "UTC"),
        Column("lines", "int64", "Physical lines the reader delivered.", "lines", "E-1"),
        Column(
            "lf_count",
            "int64",
            "LF bytes in the file, counted on the raw chunks apart from the line reader.",
            "bytes",
        ),
        Column("ends_with_lf", "bool", "The last byte is LF; NULL for an empty or unread file."),
        Column(
            "torn_tail",
            "bool",
            "The last line has no LF and cannot be decoded: a write was in progress.",
            "",
            "parser.md 8.8",
        ),
        Column(
            "last_unreadable_line",
            "int64",
            "Last line that is not, or not wholly, JSON; NULL when none.",
            "1-based line",
        ),
        Column("first_oversize_line", "int64", "First line over 16 MiB; NULL when none.", "1-based line", "E-2"),
        Column("read_error", "string", "Why reading the file failed or stopped early; NULL when it did not."),
        Column(
            "strict_error",
            "string",
            "What would make strict reading refuse the whole file (E-4, E-2); NULL when nothing.",
            "",
            "E-4",
        ),
        Column(
            "vanished_at", "timestamp", "When an extraction first found the file gone; NULL while it exists.", "UTC"
        ),
        Column("start_time", "timestamp", "First timestamp in file order that parses.", "UTC", "I-9"),
        Column("end_time", "timestamp", "Latest timestamp in the file.", "UTC", "parser.md 1.1"),
        Column("start_cwd", "string", "First non-empty working directory in file order.", "", "I-9"),
        Column("cwds", "list<string>", "Distinct working directories in order of first appearance.", "", "I-8"),
        Column(
            "cwds_resolved",
            "list<string>",
            "The same with symlinks resolved on the machine that extracted.",
            "",
            "I-8, I-11",
        ),
        Column("git_branch", "string", "Last non-empty git branch.", "", "parser.md 1.2", few_values=True),
        Column(
            "version", "string", "Last non-empty client version; pi: version of the session's format.", few_values=True
        ),
        Column("record_session_ids", "list<string>", "Distinct session ids the records carry, in order.", "", "I-7"),
        Column("session_dir", "string", "Folder of the session a sub-agent file lies in; NULL for others.", "", "S-3"),
        Column("root_path", "string", "Main file of the tree, by location; NULL for an orphan sub-agent.", "", "S-4"),
        Column(
            "parent_path",
            "string",
            "File of the same session that holds the dispatching call, else the dispatcher by location; NULL for "
            "main files.",
            "",
            "S-7, S-4",
        ),
        Column(
            "is_subagent_transcript",
            "bool",
            "A readable meta sidecar exists, or the first record with a uuid is a sidechain one.",
            "",
            "S-2",
        ),
        Column(
            "is_subagent_record", "bool", "The same, or the location says so (below a `subagents` folder).", "", "S-2"
        ),
        Column("root_uuid", "string", "uuid of the first parentless record.", "", "I-1"),
        Column("root_logical_parent_uuid", "string", "logicalParentUuid of that record.", "", "I-1"),
        Column("root_timestamp", "string", "Timestamp of that record as written.", "", "I-1"),
        Column("root_line_no", "int64", "Line of that record.", "1-based", "I-1"),
        Column("meta_agent_type", "string", "agentType of the meta sidecar.", "", "S-5", few_values=True),
        Column("meta_description", "string", "description of the meta sidecar.", "", "S-5"),
        Column("meta_tool_use_id", "string", "toolUseId of the meta sidecar: the dispatching call.", "", "S-5"),
        Column("meta_spawn_depth", "int64", "spawnDepth of the meta sidecar.", "levels", "S-5"),
        Column("meta_parent_agent_id", "string", "parentAgentId of the meta sidecar.", "", "S-5"),
        Column("meta_model", "string", "model of the meta sidecar (an alias; NULL when inherited).", "", "S-5"),
        Column(
            "meta_error",
            "string",
            "Why the meta sidecar could not be read; NULL when it could or is absent.",
            "",
            "S-5",
        ),
        Column(
            "parent_session_id",
            "string",
            "Session that started this one, where a sub-agent has a session of its own (Codex: parent_thread_id).",
            "",
            "parser.md 7.8",
            few_values=True,
        ),
        Column(
            "forked_line_count",
            "int64",
            "Lines that say which session they were copied from (forkedFrom).",
            "lines",
            "accounting.md 1",
        ),
        Column(
            "continued_in_session_id",
            "string",
            "Session that the last continued-in line names as the one that goes on from this one.",
            "",
            "accounting.md 1",
        ),
        Column(
            "lines_gone",
            "int64",
            "Lines of an earlier reading that are gone since, because the file was rewritten; NULL where none is known.",
            "lines",
            "accounting.md 1",
        ),
        Column("extracted_at", "timestamp", "When this row's content was read.", "UTC"),
    ),
)
FileRow = FILES.row_type
