-- prompt_hygiene: one row per user turn with text; says nothing about the quality of the answer.
-- source: parser.md 7.4
-- session_id: Session of the turn.
-- agent: Program that wrote it.
-- path: File.
-- line_no [1-based]: Line of the turn.
-- ordinal [0-based]: The turn, as in messages.
-- occurred_at [UTC]: Time of the turn.
-- is_first: First prompt of the file.
-- words [words]: Words between white space.
-- is_short: Fewer than 4 words.
-- is_duplicate: Not short, and equal to an earlier prompt of the file but for case and white space.
-- no_code_context: Asks for a change, but names no file, path or code.
-- is_greeting: Nothing but pleasantries.
-- unstructured_start: First prompt of the file, and short or nothing but pleasantries.
-- digest: Signed 64-bit FNV-1a hash of the prompt lower-cased with white space collapsed; computed only when asked for.
WITH
prompts AS (
    SELECT
        session_id,
        agent,
        path,
        line_no,
        ordinal,
        timestamp AS occurred_at,
        content,
        plain_prompt(content) AS plain,
        string_split(plain_prompt(content), ' ') AS words,
        row_number() OVER (PARTITION BY session_id, path ORDER BY ordinal) = 1 AS is_first
    FROM messages
    WHERE role = 'user' AND content <> ''
),

counted AS (
    SELECT
        *,
        CASE WHEN plain = '' THEN 0 ELSE len(words) END AS word_count,
        row_number() OVER (PARTITION BY session_id, path, plain ORDER BY ordinal) > 1 AS is_repeated,
        len(list_filter(words, lambda word: NOT list_contains([
            'hi', 'hey', 'hello', 'yo', 'sup', 'howdy', 'greetings', 'good', 'morning', 'afternoon', 'evening', 'there',
            'all', 'everyone', 'team', 'folks', 'claude', 'friend', 'my', 'how', 'are', 'you', 'doing', 'today',
            'please', 'thanks', 'hiya'
        ], trim(word, '.,!?;:')))) = 0 AS is_greeting,
        regexp_matches(
            content,
            '(?i)\b(fix|change|add|implement|refactor|update|remove|delete|rename|replace|edit|modify|patch|revert|migrate|rewrite|extend|adjust|tweak)\b'
        ) AS asks_change,
        length(content) - length(replace(content, '`', '')) >= 2
        OR regexp_matches(
            content,
            '(?i)\b[\w.-]+\.(go|ts|tsx|js|jsx|mjs|cjs|py|rs|rb|java|kt|kts|c|cc|cpp|cxx|h|hpp|hxx|cs|php|swift|scala|clj|ex|exs|sh|bash|zsh|sql|css|scss|sass|less|html|htm|xml|yml|yaml|toml|ini|cfg|md|rst|txt|proto|graphql|vue|svelte)\b'
        )
        OR regexp_matches(
            content,
            '(?i)\b(dockerfile|makefile|rakefile|gemfile|procfile|jenkinsfile|vagrantfile|justfile|go\.mod|go\.sum|cargo\.lock)\b'
        )
        OR regexp_matches(content, '(?i)(^|[^\w.])\.(gitignore|dockerignore|env)\b')
        OR regexp_matches(content, '[\w.-]+/[\w.-]+/[\w./-]+') AS has_anchor
    FROM prompts
)

SELECT
    session_id,
    agent,
    path,
    line_no,
    ordinal,
    occurred_at,
    is_first,
    word_count AS words,
    word_count < 4 AS is_short,
    word_count >= 4 AND is_repeated AS is_duplicate,
    asks_change AND NOT has_anchor AS no_code_context,
    is_greeting,
    is_first AND (word_count < 4 OR is_greeting) AS unstructured_start,
    prompt_digest(content) AS digest
FROM counted
