/**
 * The model as Codex wants to know it, so that it needs no guess: what fits, and that there is text
 * only. Measured with Codex 0.169, which reads the list on every start.
 */
import { type CodexModel, MODEL } from '@svc/contracts/wire/models'

/** Of the result of one tool Codex keeps this many tokens in the conversation at most, */
const RESULT_TOKENS_MAX = 10_000
/** and at most this part of the context. */
const RESULT_SHARE = 4

/** Stands where Codex has its own 4,000 tokens for models that it knows: a context can be small. */
const INSTRUCTIONS = `You are Codex, a coding agent in the terminal of a user. You work on the files
of the user's workspace through the tools that you are given.

- Keep going until the task is done. Read files before you change them, and guess nothing that a
  tool can tell you.
- Find files and text with "rg" where it is there. Make the smallest change that solves the cause,
  in the style of the code around it.
- Change or remove nothing that was not asked for, and never undo changes that you did not make.
- Check your work by running it or its tests where you can. Say so when you could not.
- Respect what the sandbox forbids. The instructions of AGENTS.md files hold for the folders below
  them.
- Before you call tools, say in one sentence what you do next. End with a short answer: what
  changed, where, and what is left. Name files with their path.`

/**
 * Without `max`: not every version of Codex knows the name, and one unknown name voids the list.
 */
const LEVELS = [
  { effort: 'none', description: 'No thinking' },
  { effort: 'low', description: 'At most 1,024 tokens of thinking' },
  { effort: 'medium', description: 'At most 4,096 tokens of thinking' },
  { effort: 'high', description: 'At most 16,384 tokens of thinking' },
  { effort: 'xhigh', description: 'At most 32,768 tokens of thinking' },
]

/** @param contextSize in tokens; undefined while no worker has said it */
export function codexModel(contextSize: number | undefined): CodexModel {
  const share = Math.floor((contextSize ?? Number.POSITIVE_INFINITY) / RESULT_SHARE)
  return {
    slug: MODEL,
    display_name: MODEL,
    description: null,
    supported_reasoning_levels: LEVELS,
    shell_type: 'shell_command',
    visibility: 'list',
    supported_in_api: true,
    priority: 0,
    upgrade: null,
    base_instructions: INSTRUCTIONS,
    supports_reasoning_summaries: true,
    support_verbosity: false,
    default_verbosity: null,
    apply_patch_tool_type: null,
    truncation_policy: { mode: 'tokens', limit: Math.min(RESULT_TOKENS_MAX, share) },
    supports_parallel_tool_calls: true,
    ...(contextSize === undefined ? {} : { context_window: contextSize }),
    experimental_supported_tools: [],
    input_modalities: ['text'],
  }
}
