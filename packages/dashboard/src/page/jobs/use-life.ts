import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ControlError, read } from '../data/control.ts'
import { reloads, touched } from '../data/store.ts'
import type { Life } from '../data/wire.ts'

type Loaded = Life | 'missing' | undefined

/** A job that changes often is loaded again at most this often. */
const RELOAD_MS = 150

/** The life of a job, loaded again whenever something has happened to it. */
export function useLife(id: string): Signal<Loaded> {
  const life = useSignal<Loaded>(undefined)
  useEffect(() => {
    life.value = undefined
    let timer = 0
    let isGone = false
    const load = async () => {
      timer = 0
      try {
        const loaded = await read<Life>(`jobs/${encodeURIComponent(id)}/exchanges`)
        if (!isGone) life.value = loaded
      } catch (error) {
        if (!isGone && error instanceof ControlError && error.status === 404) life.value = 'missing'
      }
    }
    const loadSoon = () => {
      if (timer === 0) timer = window.setTimeout(load, life.value === undefined ? 0 : RELOAD_MS)
    }
    const stops = [reloads.subscribe(loadSoon), touched.subscribe((ids) => ids.has(id) && loadSoon())]
    return () => {
      isGone = true
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }, [id])
  return life
}
