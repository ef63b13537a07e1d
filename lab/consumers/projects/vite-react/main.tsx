import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Draw } from './draw'

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Draw />
    </StrictMode>,
  )
