import type { Random } from '../shared/random.ts'

const SAMPLE_RATE_HZ = 22_050
/** Of a WAV file with 88,208 bytes of samples: 16-bit PCM, one channel, 22,050 Hz. */
const HEADER = 'UklGRrRYAQBXQVZFZm10IBAAAAABAAEAIlYAAESsAAACABAAZGF0YZBYAQA='
const NOTE_COUNT = 8
const NOTE_SAMPLES = Math.round(SAMPLE_RATE_HZ / 4)

/** Semitones of a pentatonic scale: any order of them sounds agreeable. */
const SCALE_SEMITONES = [0, 2, 4, 7, 9, 12, 14, 16] as const

/** A melody of eight notes, two seconds. WAV: 16-bit PCM, mono, 22.05 kHz. */
export function produceAudio(random: Random): Uint8Array<ArrayBuffer> {
  const header = Uint8Array.from(atob(HEADER), (character) => character.charCodeAt(0))
  const samples = new DataView(new ArrayBuffer(NOTE_COUNT * NOTE_SAMPLES * 2))
  const baseHz = random.between(196, 330)
  for (let note = 0; note < NOTE_COUNT; note++) {
    const turn = (2 * Math.PI * baseHz * 2 ** (random.pick(SCALE_SEMITONES) / 12)) / SAMPLE_RATE_HZ
    for (let index = 0; index < NOTE_SAMPLES; index++) {
      const tone = 0.8 * Math.sin(turn * index) + 0.2 * Math.sin(2 * turn * index)
      samples.setInt16(2 * (note * NOTE_SAMPLES + index), Math.round(20_000 * loudness(index) * tone), true)
    }
  }
  const file = new Uint8Array(header.byteLength + samples.byteLength)
  file.set(header)
  file.set(new Uint8Array(samples.buffer), header.byteLength)
  return file
}

/** Loudness within a note, 0 to 1. Each note starts and ends at 0, because a jump in the wave is heard as a click. */
function loudness(index: number): number {
  const edge = Math.min(1, index / 220, (NOTE_SAMPLES - 1 - index) / 880)
  return edge * Math.exp((-2 * index) / NOTE_SAMPLES)
}
