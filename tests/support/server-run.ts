/** For tests: what keeps a server running that the test may break: a process, or a container. */
export interface ServerRun {
  /** Does not wait until the server answers. */
  start(): Promise<void>
  hasEnded(): Promise<boolean>
  /** Stops it without ending it: connections stay open, and nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** As `kill -9` does. */
  kill(): Promise<void>
}
