import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { takeMeantPressesOnly } from './meant-presses.ts'
import { router } from './routes.tsx'
import './styles.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the application')
takeMeantPressesOnly()
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
