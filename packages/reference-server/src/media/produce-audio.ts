import type { SeededRandom } from './seeded-random.ts'

const SAMPLE_RATE_HZ = 22_050
const HEADER_BYTES = 44
const NOTE_COUNT = 8
const NOTE_SAMPLES = Math.round(SAMPLE_RATE_HZ / 4)

/** Semitones of a pentatonic scale: any order of them sounds agreeable. */
const SCALE_SEMITONES = [0, 2, 4, 7, 9, 12, 14, 16] as const

/** A melody of eight notes, two seconds. WAV: 16-bit PCM, mono, 22.05 kHz. */
export function produceAudio(random: SeededRandom): Uint8Array<ArrayBuffer> {
  const dataBytes = NOTE_COUNT * NOTE_SAMPLES * 2
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + dataBytes))
  writeHeader(view, dataBytes)
  const baseHz = random.between(196, 330)
  for (let note = 0; note < NOTE_COUNT; note++) {
    const turn = (2 * Math.PI * baseHz * 2 ** (random.pick(SCALE_SEMITONES) / 12)) / SAMPLE_RATE_HZ
    for (let index = 0; index < NOTE_SAMPLES; index++) {
      const tone = 0.8 * Math.sin(turn * index) + 0.2 * Math.sin(2 * turn * index)
      const offset = HEADER_BYTES + 2 * (note * NOTE_SAMPLES + index)
      view.setInt16(offset, Math.round(20_000 * loudness(index) * tone), true)
    }
  }
  return new Uint8Array(view.buffer)
}

/** Loudness within a note, 0 to 1. Each note starts and ends at 0, because a jump in the wave is heard as a click. */
function loudness(index: number): number {
  const edge = Math.min(1, index / 220, (NOTE_SAMPLES - 1 - index) / 880)
  return edge * Math.exp((-2 * index) / NOTE_SAMPLES)
}

function writeHeader(view: DataView, dataBytes: number): void {
  const name = (offset: number, text: string) =>
    [...text].forEach((letter, index) => void view.setUint8(offset + index, letter.charCodeAt(0)))
  name(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true)
  name(8, 'WAVEfmt ')
  view.setUint32(16, 16, true) // bytes of the format chunk
  view.setUint16(20, 1, true) // PCM
  view.setUint16(22, 1, true) // channels
  view.setUint32(24, SAMPLE_RATE_HZ, true)
  view.setUint32(28, SAMPLE_RATE_HZ * 2, true)
  view.setUint16(32, 2, true) // bytes of a sample
  view.setUint16(34, 16, true) // bits of a sample
  name(36, 'data')
  view.setUint32(40, dataBytes, true)
}
