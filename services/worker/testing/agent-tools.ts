/**
 * Tool lists of the shape and size that coding agents send: those of Claude Code and Codex with
 * their long descriptions, and of servers of the Model Context Protocol beside them.
 */
import type { ToolDefinition } from '@svc/contracts/worker/protocol'

type Schema = Readonly<Record<string, unknown>>
type Properties = Readonly<Record<string, Schema>>

/** Characters of the description of a property. */
const PROPERTY_PROSE = 160
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'
const SENTENCE = 'Use it where the task needs it, and say briefly what you "expect" before. '

const prose = (characters: number) =>
  SENTENCE.repeat(Math.ceil(characters / SENTENCE.length)).slice(0, characters)
const described = (schema: Schema): Schema => ({ ...schema, description: prose(PROPERTY_PROSE) })

const text = described({ type: 'string' })
const number = described({ type: 'number' })
const flag = described({ type: 'boolean' })
const page = described({ type: 'number', minimum: 1 })
const perPage = described({ type: 'number', minimum: 1, maximum: 100 })
const whole = (bounds: Schema = {}) => described({ type: 'integer', ...bounds })
const oneOf = (...names: readonly string[]) => described({ type: 'string', enum: names })
const list = (items: Schema, bounds: Schema = {}) => described({ type: 'array', items, ...bounds })
const texts = list({ type: 'string' })
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

/** All properties are required whose name has no question mark behind it. */
function object(properties: Properties, more: Schema = { additionalProperties: false }): Schema {
  const names = Object.keys(properties)
  const plain = Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema])
  return {
    type: 'object',
    properties: Object.fromEntries(plain),
    required: names.filter((name) => !name.endsWith('?')),
    ...more,
  }
}

/** @param characters of the tool's own description, which comes with its schema in some lists */
function tool(name: string, characters: number, properties: Properties): ToolDefinition {
  const schema = object(properties)
  return { name, description: prose(characters), parameters: { $schema: DRAFT_07, ...schema } }
}

const agent = oneOf('general-purpose', 'statusline-setup', 'explore', 'plan')
const option = object({ label: text, description: text })
const question = object({
  question: text,
  header: text,
  multiSelect: flag,
  options: list(option, { minItems: 2, maxItems: 4 }),
})

export const claudeCodeTools: readonly ToolDefinition[] = [
  tool('Task', 6000, {
    description: text,
    prompt: text,
    subagent_type: agent,
    'resume?': text,
    'model?': oneOf('sonnet', 'opus', 'haiku'),
    'run_in_background?': flag,
  }),
  tool('TaskOutput', 900, {
    task_id: text,
    block: { ...flag, default: true },
    timeout: described({ type: 'number', minimum: 0, maximum: 600_000, default: 30_000 }),
  }),
  tool('Bash', 6000, {
    command: text,
    'timeout?': number,
    'description?': text,
    'run_in_background?': flag,
    'dangerouslyDisableSandbox?': flag,
  }),
  tool('BashOutput', 700, { bash_id: text, 'filter?': text }),
  tool('KillShell', 400, { shell_id: text }),
  tool('Glob', 600, { pattern: text, 'path?': text }),
  tool('Grep', 1500, {
    pattern: text,
    'path?': text,
    'glob?': text,
    'type?': text,
    'multiline?': flag,
    'output_mode?': oneOf('content', 'files_with_matches', 'count'),
    '-B?': number,
    '-A?': number,
    '-C?': number,
    '-n?': flag,
    '-i?': flag,
    'head_limit?': number,
    'offset?': number,
  }),
  tool('ExitPlanMode', 2500, { 'launchSwarm?': flag, 'teammateCount?': number }),
  tool('Read', 2000, { file_path: text, 'offset?': number, 'limit?': number, 'pages?': text }),
  tool('Edit', 1500, {
    file_path: text,
    old_string: text,
    new_string: text,
    'replace_all?': { ...flag, default: false },
  }),
  tool('Write', 900, { file_path: text, content: text }),
  tool('NotebookEdit', 800, {
    notebook_path: text,
    'cell_id?': text,
    new_source: text,
    'cell_type?': oneOf('code', 'markdown'),
    'edit_mode?': oneOf('replace', 'insert', 'delete'),
  }),
  tool('WebFetch', 1600, { url: { ...text, format: 'uri' }, prompt: text }),
  tool('WebSearch', 1200, {
    query: { ...text, minLength: 2 },
    'allowed_domains?': texts,
    'blocked_domains?': texts,
  }),
  tool('TodoWrite', 6000, {
    todos: list(
      object({
        content: { type: 'string', minLength: 1 },
        status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
        activeForm: { type: 'string', minLength: 1 },
      }),
    ),
  }),
  tool('AskUserQuestion', 1200, {
    questions: list(question, { minItems: 1, maxItems: 4 }),
    'answers?': { type: 'object', additionalProperties: { type: 'string' } },
  }),
  tool('Skill', 1500, { skill: text, 'args?': text }),
  tool('SlashCommand', 1500, { command: text }),
  tool('EnterPlanMode', 3000, {}),
  tool('LSP', 1500, {
    operation: oneOf('goToDefinition', 'findReferences', 'hover', 'documentSymbol'),
    filePath: text,
    line: whole({ exclusiveMinimum: 0 }),
    character: whole({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
]

const escalation = {
  'sandbox_permissions?': text,
  'justification?': text,
  'prefix_rule?': texts,
}

export const codexTools: readonly ToolDefinition[] = [
  tool('exec_command', 1000, {
    cmd: text,
    'workdir?': text,
    'shell?': text,
    'login?': flag,
    'tty?': flag,
    'yield_time_ms?': number,
    'max_output_tokens?': number,
    ...escalation,
  }),
  tool('write_stdin', 1000, {
    session_id: number,
    'chars?': text,
    'yield_time_ms?': number,
    'max_output_tokens?': number,
  }),
  tool('shell', 2000, { command: texts, 'workdir?': text, 'timeout_ms?': number, ...escalation }),
  tool('update_plan', 1500, {
    'explanation?': text,
    plan: list(object({ step: text, status: oneOf('pending', 'in_progress', 'completed') })),
  }),
  tool('request_user_input', 1500, {
    questions: list(object({ id: text, header: text, question: text, options: list(option) })),
  }),
  tool('apply_patch', 4000, { input: text }),
  tool('view_image', 1000, { path: text }),
  tool('list_mcp_resources', 1000, { 'server?': text, 'cursor?': text }),
  tool('list_mcp_resource_templates', 1000, { 'server?': text, 'cursor?': text }),
  tool('read_mcp_resource', 1000, { server: text, uri: text }),
  tool('spawn_agent', 3000, {
    message: text,
    'agent_type?': oneOf('default', 'worker', 'explorer'),
  }),
  tool('wait', 1500, { ids: texts, 'timeout_ms?': number }),
]

const repository = { owner: text, repo: text }
const paged = { 'page?': page, 'perPage?': perPage }
const file = object({ path: text, content: text })
const direction = oneOf('asc', 'desc')
const state = oneOf('open', 'closed', 'all')
const reviewComment = object({
  path: text,
  body: text,
  'side?': oneOf('LEFT', 'RIGHT'),
  'line?': orNull({ type: 'number' }),
  'position?': orNull({ type: 'number' }),
})

const repositoryTools: Readonly<Record<string, Properties>> = {
  create_or_update_file: {
    ...repository,
    path: text,
    content: text,
    message: text,
    branch: text,
    'sha?': text,
  },
  search_repositories: { query: text, ...paged },
  create_repository: { name: text, 'description?': text, 'private?': flag, 'autoInit?': flag },
  get_file_contents: { ...repository, path: text, 'branch?': text },
  push_files: { ...repository, branch: text, files: list(file), message: text },
  create_issue: {
    ...repository,
    title: text,
    'body?': text,
    'labels?': texts,
    'assignees?': texts,
    'milestone?': number,
  },
  create_pull_request: {
    ...repository,
    title: text,
    'body?': text,
    head: text,
    base: text,
    'draft?': flag,
    'maintainer_can_modify?': flag,
  },
  fork_repository: { ...repository, 'organization?': text },
  create_branch: { ...repository, branch: text, 'from_branch?': text },
  list_commits: { ...repository, 'sha?': text, ...paged },
  list_issues: {
    ...repository,
    'direction?': direction,
    'labels?': texts,
    'state?': state,
    ...paged,
    'since?': { type: 'string', format: 'date-time' },
    'sort?': oneOf('created', 'updated', 'comments'),
  },
  update_issue: {
    ...repository,
    issue_number: number,
    'title?': text,
    'body?': text,
    'state?': state,
    'assignees?': texts,
    'labels?': texts,
    'milestone?': number,
  },
  add_issue_comment: { ...repository, issue_number: number, body: text },
  search_code: { q: text, 'order?': direction, ...paged },
  search_users: {
    q: text,
    'order?': direction,
    ...paged,
    'sort?': oneOf('followers', 'repositories', 'joined'),
  },
  get_pull_request: { ...repository, pull_number: number },
  list_pull_requests: {
    ...repository,
    'state?': state,
    'head?': text,
    'base?': text,
    ...paged,
    'direction?': direction,
    'sort?': oneOf('created', 'updated', 'popularity'),
  },
  create_pull_request_review: {
    ...repository,
    pull_number: number,
    'commit_id?': text,
    body: text,
    event: oneOf('APPROVE', 'REQUEST_CHANGES', 'COMMENT'),
    'comments?': list(reviewComment),
  },
  merge_pull_request: {
    ...repository,
    pull_number: number,
    'commit_title?': text,
    'commit_message?': text,
    'merge_method?': oneOf('merge', 'squash', 'rebase'),
  },
  get_pull_request_status: { ...repository, pull_number: number },
}

/** Three servers with twenty tools each, alike but for their names and descriptions. */
export const mcpTools: readonly ToolDefinition[] = ['github', 'gitea', 'tracker'].flatMap(
  (server, index) =>
    Object.entries(repositoryTools).map(([name, properties]) =>
      tool(`mcp__${server}__${name}`, 300 + 400 * index, properties),
    ),
)
