import { render } from 'preact'
import { App } from './app.tsx'
import { startClock } from './data/clock.ts'
import { follow } from './data/store.ts'
import { startRouting } from './route.ts'
import './style/all.css'

const root = document.getElementById('app')
if (root === null) throw new Error('The page has no element #app.')

startRouting()
startClock()
void follow()
render(<App />, root)
