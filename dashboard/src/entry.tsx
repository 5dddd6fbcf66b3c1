import './style/tokens.css'
import './style/base.css'
import './style/parts.css'
import './style/shell.css'
import './style/print.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { DashboardApp } from './dashboard-app.tsx'
import { createPageQueries } from './page-queries.ts'
import { takeLinkToken } from './session/link-token.ts'
import { applyTheme } from './shell/theme.ts'

// Before anything is drawn: the token leaves the address bar and the history at once.
const linkToken = takeLinkToken(window)
applyTheme()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createPageQueries()}>
      <DashboardApp linkToken={linkToken} />
    </QueryClientProvider>
  </StrictMode>,
)
