/** Pages that are loaded when somebody goes to them. */
import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiError } from '../../api/api-error.ts'
import { isServerThere } from '../../api/server-there.ts'

/**
 * The router knows by its message that an import has failed, and reloads the window: that mends a
 * page of a server that was upgraded since, and ends at the browser's own error while the server is
 * away. Then the failure has another message, and the dashboard waits for the server.
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
      throw new ApiError({ status: 0, code: 'unreachable', message: '' })
    }
  }, name)
}
