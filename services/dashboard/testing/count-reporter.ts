/** Ends the output of `npm run test:browser` with one line for scripts. */
import type { Reporter, TestModule } from 'vitest/node'

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const broken = modules.filter((module) => module.errors().length > 0).length
    process.stdout.write(`${count('passed')} passed, ${count('failed') + broken} failed\n`)
  }
}
