/**
 * The real server answers HTTP/1.1 on the port of its gRPC calls: whoever starts one asks it there
 * whether it lives. This stands before the double and does so; everything else it passes on.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'

/** How every connection of HTTP/2 begins. */
const HTTP2_BEGINNING = 'PRI'
const LIVE = 'HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'

/** @param double where the calls go: a port of the loopback */
export async function listenWithHealth(
  { host, port }: { readonly host: string; readonly port: number },
  double: number,
): Promise<Server> {
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (first: Buffer) => {
      if (String(first.subarray(0, HTTP2_BEGINNING.length)) !== HTTP2_BEGINNING) client.end(LIVE)
      else passOn(client, first, double)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return server
}

function passOn(client: Socket, first: Buffer, port: number): void {
  const double = connect(port, '127.0.0.1')
  double.on('error', () => client.destroy())
  client.on('close', () => double.destroy())
  double.write(first)
  client.pipe(double).pipe(client)
}
