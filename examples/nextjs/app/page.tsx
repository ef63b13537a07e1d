/** @jsxImportSource react */
'use client'

import { type FormEvent, useEffect, useState } from 'react'

interface FilmState {
  status: string
  url?: string
  error?: string
}

const POLL_MS = 1_000

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body) })
  if (response.ok) return response
  const { isCharged } = await response.json()
  throw new Error(isCharged ? 'It failed, and may have been charged.' : 'It failed, and was not charged.')
}

/** The state of a film, read until it has ended. */
function useFilm(id: string | undefined): FilmState | undefined {
  const [state, setState] = useState<FilmState>()
  useEffect(() => {
    setState(undefined)
    if (id === undefined) return
    const timer = setInterval(async () => {
      const read: FilmState = await (await fetch(`/api/films/${id}`)).json()
      setState(read)
      if (read.url ?? read.error) clearInterval(timer)
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [id])
  return state
}

export default function Page() {
  const [picture, setPicture] = useState<string>()
  const [filmId, setFilmId] = useState<string>()
  const [message, setMessage] = useState('')
  const film = useFilm(filmId)

  async function start(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null
    const prompt = new FormData(form).get('prompt')
    setMessage('…')
    try {
      if (submitter?.value === 'film') setFilmId((await (await post('/api/films', { prompt })).json()).id)
      else setPicture(URL.createObjectURL(await (await post('/api/pictures', { prompt })).blob()))
      setMessage('')
    } catch (error) {
      setMessage(String(error))
    }
  }

  return (
    <main>
      <form onSubmit={start}>
        <label>
          Prompt <input name="prompt" required defaultValue="a red fox" />
        </label>
        <button type="submit" value="picture">
          Picture
        </button>
        <button type="submit" value="film">
          Film
        </button>
      </form>
      <p role="status">{message}</p>
      {picture && <img src={picture} alt="What the prompt describes" />}
      {film && <p>Film: {film.error ?? film.status}</p>}
      {filmId && film && !film.url && !film.error && (
        <button type="button" onClick={() => fetch(`/api/films/${filmId}`, { method: 'DELETE' })}>
          Cancel
        </button>
      )}
      {film?.url && (
        <video src={film.url} controls>
          <track kind="captions" />
        </video>
      )}
    </main>
  )
}
