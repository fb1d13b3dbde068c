/** How the pages are built; `server/build.ts` says when, and where they go. */
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { declaredOperations } from './server/declared-operations.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [declaredOperations(), react(), tailwindcss()],
  build: {
    emptyOutDir: true,
    manifest: 'manifest.json',
    // A small file would become a `data:` address, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2024',
  },
})
