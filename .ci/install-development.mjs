/**
 * Installs what only developers need, where it is missing: `.npmrc` leaves it out of a plain
 * `npm install`, because whoever runs the server needs none of it (250 MiB).
 *
 * Looks first, because an install takes seconds and puts links in place anew, below tests that may
 * be running.
 */
import { execSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const FOLDER = new URL('..', import.meta.url)

const wanted = packagesIn('package-lock.json')
const installed = packagesIn('node_modules/.package-lock.json')
const isMissing = Object.entries(wanted).some(
  ([path, { dev, optional, version }]) =>
    dev === true && optional !== true && installed[path]?.version !== version,
)
if (isMissing) {
  process.stdout.write('Installing what the tests and checks need …\n')
  execSync('npm install --include=dev --no-progress', { cwd: FOLDER, stdio: 'inherit' })
}

/** None where nothing was installed yet. */
function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT') return {}
    throw error
  }
}
