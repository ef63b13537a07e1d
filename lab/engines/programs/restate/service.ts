import { serve } from '@restatedev/restate-sdk'
import { videos } from './video.ts'

await serve({ services: [videos], port: Number(process.env.SERVICE_PORT) })
