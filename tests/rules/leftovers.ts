/** Names and words that do not belong in the project. */
import { isCode, isTestCode, type SourceFile } from './workspace.ts'

/** A file named so says nothing about what belongs in it. */
const emptyNames = /(^|[-._])(utils?|helpers?|common|managers?|misc|stuff)([-._]|$)/i

/** Written in pieces, so that this file does not break its own rule. */
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`)

/** Places that exist on one machine or in one company only. */
const places = [
  new RegExp(`${'/wo' + 'rk'}/`),
  new RegExp(`(^|[^\\w.-])(\\.\\./)*${'sha' + 'red'}/`),
  new RegExp(`${'regis' + 'try'}\\.(npm|yarn)`),
  /https?:\/\/[\w.-]*(artifactory|nexus|verdaccio|jfrog)/i,
]

/** Amounts and news without their name: readers must look for what is meant. See CONTRIBUTING. */
const riddle = /\b(so (many|much|long)|heard (of))\b/i

const fileInBackticks = /`([\w./-]+\.tsx?)`/g

/** Outside a checkout that has the command, it fetches whatever package has that name. */
const fetchedCommand = new RegExp(`\\b${'np' + 'x'} [-\\w@]`)

/** Written by npm: hashes hold every short word sooner or later. */
const generated = /(^|\/)package-lock\.json$/

export function emptyFileNames(files: readonly SourceFile[]): readonly string[] {
  return files.map(({ path }) => path).filter((path) => path.split('/').some(isEmptyName))
}

export function unfinishedWork(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => !generated.test(path)).flatMap(linesWith([unfinished]))
}

export function machinePlaces(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(linesWith(places))
}

/** Files that a comment of product code names in backticks, by the end of their path. */
export function missingFiles(files: readonly SourceFile[]): readonly string[] {
  const ends = new Set(files.flatMap(({ path }) => endsOf(path)))
  return files
    .filter((file) => isCode(file) && !isTestCode(file))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          [...(commentOf(line) ?? '').matchAll(fileInBackticks)]
            .filter(([, name = '']) => !ends.has(name))
            .map(([, name]) => `${path}:${index + 1} names ${name}`),
        ),
    )
}

/** Of `a/b/c.ts` also `b/c.ts` and `c.ts`. */
function endsOf(path: string): readonly string[] {
  const parts = path.split('/')
  return parts.map((_, from) => parts.slice(from).join('/'))
}

/** A line of a comment, from where it begins. */
function commentOf(line: string): string | undefined {
  return /(^\s*(\/\*\*?|\*)|\/\/)\s.*/.exec(line)?.[0]
}

/** In comments and in the names of tests. */
export function riddles(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(linesWith([riddle]))
}

/** On pages, in examples, messages and scripts alike. */
export function fetchedCommands(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => !generated.test(path)).flatMap(linesWith([fetchedCommand]))
}

function isEmptyName(segment: string): boolean {
  return emptyNames.test(segment.replace(/\.[a-z]+$/, ''))
}

function linesWith(patterns: readonly RegExp[]) {
  return ({ path, text }: SourceFile): readonly string[] =>
    text.split('\n').flatMap((line, index) => {
      const match = patterns.map((pattern) => pattern.exec(line)?.[0]).find(Boolean)
      return match === undefined ? [] : [`${path}:${index + 1} says "${match.trim()}"`]
    })
}
