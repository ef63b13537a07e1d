import type { SeededRandom } from './seeded-random.ts'

const SAMPLE_RATE_HZ = 22_050
const BYTES_PER_SAMPLE = 2
const HEADER_BYTES = 44
const NOTE_COUNT = 8
const NOTE_SAMPLES = Math.round(SAMPLE_RATE_HZ / 4)
const ATTACK_SAMPLES = SAMPLE_RATE_HZ / 100
const RELEASE_SAMPLES = SAMPLE_RATE_HZ / 25

/** Semitones of a pentatonic scale over an octave and a half: any order of them sounds agreeable. */
const SCALE_SEMITONES = [0, 2, 4, 7, 9, 12, 14, 16] as const

/** Plays a melody of eight notes, two seconds. WAV: 16-bit PCM, mono, 22.05 kHz. */
export function produceAudio(random: SeededRandom): Uint8Array<ArrayBuffer> {
  const sampleCount = NOTE_COUNT * NOTE_SAMPLES
  const bytes = new Uint8Array(HEADER_BYTES + sampleCount * BYTES_PER_SAMPLE)
  const view = new DataView(bytes.buffer)
  writeHeader(view, sampleCount * BYTES_PER_SAMPLE)
  const baseHz = random.between(196, 330)
  for (let note = 0; note < NOTE_COUNT; note++) {
    const pitchHz = baseHz * 2 ** (random.pick(SCALE_SEMITONES) / 12)
    writeNote(view, HEADER_BYTES + note * NOTE_SAMPLES * BYTES_PER_SAMPLE, pitchHz)
  }
  return bytes
}

function writeNote(view: DataView, offset: number, pitchHz: number): void {
  for (let index = 0; index < NOTE_SAMPLES; index++) {
    const angle = (2 * Math.PI * pitchHz * index) / SAMPLE_RATE_HZ
    const tone = 0.75 * Math.sin(angle) + 0.2 * Math.sin(2 * angle) + 0.05 * Math.sin(3 * angle)
    view.setInt16(offset + index * BYTES_PER_SAMPLE, Math.round(20_000 * envelope(index) * tone), true)
  }
}

/** Loudness within a note, 0 to 1. It starts and ends at 0, because a jump in the wave is heard as a click. */
function envelope(index: number): number {
  const attack = Math.min(1, index / ATTACK_SAMPLES)
  const release = Math.min(1, (NOTE_SAMPLES - 1 - index) / RELEASE_SAMPLES)
  return attack * release * Math.exp((-2 * index) / NOTE_SAMPLES)
}

function writeHeader(view: DataView, dataBytes: number): void {
  writeChunkName(view, 0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true)
  writeChunkName(view, 8, 'WAVE')
  writeChunkName(view, 12, 'fmt ')
  view.setUint32(16, 16, true) // bytes of the format chunk
  view.setUint16(20, 1, true) // PCM
  view.setUint16(22, 1, true) // channels
  view.setUint32(24, SAMPLE_RATE_HZ, true)
  view.setUint32(28, SAMPLE_RATE_HZ * BYTES_PER_SAMPLE, true)
  view.setUint16(32, BYTES_PER_SAMPLE, true)
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true)
  writeChunkName(view, 36, 'data')
  view.setUint32(40, dataBytes, true)
}

function writeChunkName(view: DataView, offset: number, name: string): void {
  for (let index = 0; index < name.length; index++) view.setUint8(offset + index, name.charCodeAt(index))
}
