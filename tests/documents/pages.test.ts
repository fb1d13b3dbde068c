/** What can be checked of the pages without a server. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminOperations } from '@svc/contracts/admin/operations'
import { svc } from '@svc/testing/run-svc'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const documents = globSync('docs/**/*.md', { cwd: ROOT })
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...documents]
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

test('links lead to files that are there', () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => join(dirname(page), target))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${page} → ${target}`),
  )
  expect(broken).toEqual([])
})

/** The reader's own Node may be of 20, which knows no TypeScript and has no SQLite. */
test('no page has the Node of the reader run what only a newer one can', () => {
  const examples = globSync('examples/*/README.md', { cwd: ROOT })
  const commands = [...pages, ...examples].flatMap((page) =>
    [...read(page).matchAll(/^node (\S+\.(?:ts|mjs))\b.*$/gm)]
      .filter(([, program = '']) => needsNewerNode(join(dirname(page), program)))
      .map(([line]) => `${page}: ${line}`),
  )
  expect(commands).toEqual([])
})

/** @param program that imports at most those beside it */
function needsNewerNode(program: string): boolean {
  const files = globSync(join(dirname(program), '*.mjs'), { cwd: ROOT })
  return program.endsWith('.ts') || files.some((file) => read(file).includes("'node:sqlite'"))
}

test('links to a part of a page lead to one of its headings', () => {
  const broken = pages.flatMap((page) =>
    [...withoutCode(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
      .map(([, target = '', part = '']) => ({
        of: target === '' ? page : join(dirname(page), target),
        part,
      }))
      .filter(({ of, part }) => !partsOf(of).includes(part))
      .map(({ of, part }) => `${page} → ${of}#${part}`),
  )
  expect(broken).toEqual([])
})

test('the index leads to every page', () => {
  const index = read('docs/README.md')
  const missing = documents
    .map((page) => page.slice('docs/'.length))
    .filter((page) => page !== 'README.md' && !page.startsWith('decisions/'))
    .filter((page) => !index.includes(`(${page})`))
  expect(missing).toEqual([])
})

test('the index of decisions has every one in order, and no number twice', () => {
  const files = documents
    .filter((page) => /^docs\/decisions\/\d/.test(page))
    .map((page) => page.slice('docs/decisions/'.length))
    .sort()
  const listed = [...read('docs/decisions/README.md').matchAll(/\[(\d{4}): .+\]\(((\d{4})-.+)\)/g)]
  expect(listed.map(([, , file]) => file)).toEqual(files)
  expect(listed.map(([, number]) => number)).toEqual(listed.map(([, , , number]) => number))
  expect(new Set(listed.map(([, number]) => number)).size).toBe(files.length)
})

/** Its rows link to tests by their titles, in which `…` stands for what varies. */
const BILLING_BUGS = 'docs/explanation/billing-bugs-of-others.md'
const BILLING_BUG_COUNT = 31
/** svc has no automatic top-up that could come in storms. */
const WITHOUT_TEST = [21]

test('the page of billing bugs has every one, and the tests that it names are there', () => {
  const rows = [...read(BILLING_BUGS).matchAll(/^\| (\d+) +\|.*$/gm)].map(([row, number]) => ({
    number: Number(number),
    tests: [...row.matchAll(/\[([^\]]+)\]\(\.\.\/\.\.\/([^)]+)\)/g)],
  }))
  const numbers = Array.from({ length: BILLING_BUG_COUNT }, (_, index) => index + 1)
  expect(rows.map(({ number }) => number)).toEqual(numbers)
  const untested = rows.filter(({ tests }) => tests.length === 0)
  expect(untested.map(({ number }) => number)).toEqual(WITHOUT_TEST)
  const missing = rows
    .flatMap(({ tests }) => tests)
    .filter(([, title = '', file = '']) => !hasTitle(file, title))
    .map(([, title, file]) => `${file}: ${title}`)
  expect(missing).toEqual([])
})

/** Whether a file of tests has the title, apart from the number of a pitfall or complaint. */
function hasTitle(file: string, title: string): boolean {
  if (!existsSync(join(ROOT, file))) return false
  const text = read(file)
    .replaceAll(/\$\{\w+\}|%[a-z]|\$\w+/g, '…')
    .replaceAll(/(?:pitfall|complaint) \d+: /g, '')
  return text.includes(`'${title}'`) || text.includes(`\`${title}\``)
}

/** Code has lines that look like headings: comments of a shell. */
function withoutCode(page: string): string {
  return read(page).replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1.*$/gm, '')
}

/**
 * What an address can name of a page behind `#`: its headings, in the way that GitHub names them.
 */
function partsOf(page: string): string[] {
  const headings = [...withoutCode(page).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
  return headings.map((name, at) => {
    const before = headings.slice(0, at).filter((other) => other === name).length
    return before === 0 ? name : `${name}-${before}`
  })
}

/** Those whose options are settings, which have a page of their own. */
const CONFIGURED = ['start']

test('the command-line page has a row for every command, with every option', async () => {
  const rows = read('docs/reference/cli.md').split('\n')
  const commands = await commandsBelow([])
  expect(commands.length).toBeGreaterThan(15)
  for (const words of commands) {
    const row = rows.find((line) => new RegExp(`^\\| \`svc ${words.join(' ')}[ \`]`).test(line))
    expect(row, `svc ${words.join(' ')}`).toBeDefined()
    const options = CONFIGURED.includes(words.join(' ')) ? [] : optionsOf(await helpOf(words))
    for (const option of options) expect(row, `svc ${words.join(' ')}`).toContain(option)
  }
})

/** What `svc` prints as JSON, as its own tests have it. Receipts have a page of their own. */
const outputs = globSync('services/cli/golden/*.json', { cwd: ROOT })
  .filter((file) => !file.includes('/explain-'))
  .map((file): { readonly schema: string } => JSON.parse(read(file)))

test('the command-line page has every schema of JSON, and all that is in it', () => {
  const rows = read('docs/reference/cli.md').split('\n')
  expect(outputs.length).toBeGreaterThan(10)
  for (const { schema, ...rest } of outputs) {
    const row = rows.find((line) => line.includes(`\`${schema}\``))
    expect(row, schema).toBeDefined()
    for (const name of Object.keys(rest)) expect(row, schema).toContain(`\`${name}\``)
  }
})

test('the command-line page has the schema of every command', () => {
  const page = read('docs/reference/cli.md')
  const sources = globSync('services/cli/src/commands/**/*.ts', { cwd: ROOT }).map(read)
  const schemas = sources.flatMap((text) => [...text.matchAll(/'([a-z-]+\/\d)'/g)])
  expect(schemas.length).toBeGreaterThan(30)
  for (const [, schema] of schemas) expect(page).toContain(`\`svc.${schema}\``)
})

test('git leaves alone what pages have their readers write into the checkout', () => {
  const ignored = read('.gitignore').split('\n')
  const pagesOfReaders = documents.filter((page) => page.startsWith('docs/how-to/'))
  const written = pagesOfReaders.flatMap((page) => {
    return [...read(page).matchAll(/(?:> |-o |-D )([a-z-]+(?:\.txt|\.csv|-token))\b/g)]
  })
  expect(written.length).toBeGreaterThan(2)
  for (const [, file] of written) expect(ignored).toContain(`/${file}`)
})

test('the command-line page has the operation of every admin route that answers lines', () => {
  const page = read('docs/reference/cli.md')
  for (const { method, path, answer } of Object.values(adminOperations)) {
    if (answer === 'lines') expect(page).toContain(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  }
})

async function helpOf(words: readonly string[]): Promise<string> {
  const { code, out } = await svc([...words, '--help'])
  expect(code).toBe(0)
  return out
}

/** Has commands below it, and does something by itself. */
const ROLES = 'start'

/** The commands that do something: groups stand for what is in them. */
async function commandsBelow(words: readonly string[]): Promise<(readonly string[])[]> {
  const names = [...section(await helpOf(words), 'Commands').matchAll(/^ {2}([a-z-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
  if (names.length === 0) return [words]
  const below = await Promise.all(names.map((name) => commandsBelow([...words, name])))
  return words.join(' ') === ROLES ? [words, ...below.flat()] : below.flat()
}

/** `--account` is explained once, below the table. */
function optionsOf(help: string): string[] {
  return [...section(help, 'Options').matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)]
    .map(([, option = '']) => option)
    .filter((option) => option !== '--help' && option !== '--account')
}

function section(help: string, title: string): string {
  return new RegExp(`^${title}:\n((?:.+\n)*)`, 'm').exec(help)?.[1] ?? ''
}
