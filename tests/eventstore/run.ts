/**
 * Runs everything that is promised of EventStoreDB: the compliance suite of event stores, the crash
 * suite and the stories of whole servers.
 *
 *     npm run test:eventstore -- [--on double,server,container] [--image NAME]
 *
 * Against the double always, against the server that EVENTSTORE_URL names when that is set, and
 * against one in a container when a Docker engine answers. At a place named with `--on` they must
 * run: where that is not possible the exit code is 1, as it is for any test that fails. The server
 * is killed only where SVC_TEST_EVENTSTORE_KILL and SVC_TEST_EVENTSTORE_START name the commands.
 */
import { readOptions } from '@svc/testing/read-options'
import { PlaceMissingError, type PlaceName, placeNames, startPlace } from './places.ts'
import { runSuites, type SuiteResult } from './suites.ts'

type PlaceResult =
  | { readonly place: PlaceName; readonly suites: readonly SuiteResult[] }
  | { readonly place: PlaceName; readonly missing: string }

const values = readOptions({ on: { type: 'string' }, image: { type: 'string' } })
const asked = askedPlaces(values.on)
const results: PlaceResult[] = []
for (const place of asked ?? placeNames) results.push(await runAt(place))
process.stdout.write(`\n${tableOf(results)}\n`)
process.exitCode = results.every(isGood) ? 0 : 1

function askedPlaces(list: string | undefined): readonly PlaceName[] | undefined {
  return list?.split(',').map((name) => {
    const place = placeNames.find((known) => known === name)
    if (place === undefined) throw new Error(`--on takes ${placeNames.join(', ')}, not "${name}"`)
    return place
  })
}

async function runAt(place: PlaceName): Promise<PlaceResult> {
  try {
    const started = await startPlace(place, values.image)
    try {
      process.stdout.write(`\n=== on the ${place}\n`)
      return { place, suites: await runSuites(started.environment) }
    } finally {
      await started.stop()
    }
  } catch (error) {
    if (error instanceof PlaceMissingError) return { place, missing: error.message }
    throw error
  }
}

function isGood(result: PlaceResult): boolean {
  if ('missing' in result) return asked === undefined
  return result.suites.every(({ failed }) => failed === 0)
}

function tableOf(all: readonly PlaceResult[]): string {
  const rows = all.flatMap((result): (readonly string[])[] =>
    'missing' in result
      ? [[result.place, 'did not run', '', '', '', result.missing]]
      : result.suites.map((suite) => [result.place, ...cellsOf(suite)]),
  )
  const table = [['where', 'suite', 'passed', 'failed', 'skipped', ''], ...rows]
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  return table
    .map((row) => row.map((cell, at) => cell.padEnd(widths?.[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

function cellsOf({ name, passed, failed, skipped, remark }: SuiteResult): readonly string[] {
  return [name, String(passed), String(failed), String(skipped), remark]
}
