/**
 * HTTP of Node.js without its client for WebSockets. A module that imports a value of `node:http`
 * has Node read every export of it, and one of them, `WebSocket`, loads a second undici: 1.6 MB
 * that nobody uses. What is asked for in this way is read alone.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
