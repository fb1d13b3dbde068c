/** `svc operator-token`: what `--url` needs, for those who may read the data folder. */

import { DataFolder } from '@svc/server/data-folder/data-folder'
import { Command } from 'commander'
import { CliError, EXIT_NOT_FOUND, EXIT_USAGE } from '../../context/exit-codes.ts'
import type { ContextOf } from '../options.ts'

export function operatorTokenCommand(contextOf: ContextOf): Command {
  return new Command('operator-token')
    .description('the root token for --url, read from the data folder: a secret')
    .action(async (_options, command: Command) => {
      const context = contextOf(command)
      if (context.options.url !== undefined) {
        throw new CliError(
          EXIT_USAGE,
          'the root token is read from the data folder of this machine: leave --url out',
        )
      }
      const folder = new DataFolder(context.dataDir)
      const secrets = folder.readSecrets()
      if (secrets === undefined) {
        // A folder that cannot be entered looks empty.
        folder.check()
        throw new CliError(
          EXIT_NOT_FOUND,
          `${folder.path} holds no secrets: name the folder of a server that was started once`,
        )
      }
      const { operatorToken } = secrets
      if (context.json)
        return context.outJson('operator-token/2', { operator_token: operatorToken })
      await context.out(`${operatorToken}\n`)
    })
}
