/** Pages that are loaded when somebody goes to them. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { isServerThere } from '../../api/server-there.ts'
import { t } from '../../text/translate.ts'

/**
 * The router knows by its message that an import has failed, and reloads the window: that mends a
 * page of a server that was upgraded since, and ends at the browser's own error while the server is
 * away. Then the failure has another message, and is shown in the dashboard.
 */
export function lazyPage<
  Module extends Record<string, (props: never) => unknown>,
  Name extends keyof Module & string,
>(load: () => Promise<Module>, name: Name) {
  return lazyRouteComponent(async () => {
    try {
      return await load()
    } catch (cause) {
      if (await isServerThere()) throw cause
      throw new Error(t('unreachable'), { cause })
    }
  }, name)
}
