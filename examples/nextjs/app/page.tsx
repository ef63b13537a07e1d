/** @jsxImportSource react */
'use client'

import { type FormEvent, useEffect, useState } from 'react'

interface VideoState {
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

/** The state of a video, read until it has ended. */
function useVideo(id: string | undefined): VideoState | undefined {
  const [state, setState] = useState<VideoState>()
  useEffect(() => {
    setState(undefined)
    if (id === undefined) return
    const timer = setInterval(async () => {
      const read: VideoState = await (await fetch(`/api/videos/${id}`)).json()
      setState(read)
      if (read.url ?? read.error) clearInterval(timer)
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [id])
  return state
}

export default function Page() {
  const [image, setImage] = useState<string>()
  const [videoId, setVideoId] = useState<string>()
  const [message, setMessage] = useState('')
  const video = useVideo(videoId)

  async function start(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null
    const prompt = new FormData(form).get('prompt')
    setMessage('…')
    try {
      if (submitter?.value === 'video') setVideoId((await (await post('/api/videos', { prompt })).json()).id)
      else setImage(URL.createObjectURL(await (await post('/api/images', { prompt })).blob()))
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
        <button type="submit" value="image">
          Image
        </button>
        <button type="submit" value="video">
          Video
        </button>
      </form>
      <p role="status">{message}</p>
      {image && <img src={image} alt="What the prompt describes" />}
      {video && <p>Video: {video.error ?? video.status}</p>}
      {videoId && video && !video.url && !video.error && (
        <button type="button" onClick={() => fetch(`/api/videos/${videoId}`, { method: 'DELETE' })}>
          Cancel
        </button>
      )}
      {video?.url && (
        <video src={video.url} controls>
          <track kind="captions" />
        </video>
      )}
    </main>
  )
}
