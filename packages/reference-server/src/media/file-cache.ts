import { type FileRequest, fileKey, type ProducedFile, produceFile } from './produce-file.ts'

/** About 100 pictures of 1024 x 1024 pixels. */
const MOST_BYTES = 16 * 1024 * 1024

/** Keeps the files that were read last: to paint a picture takes as long as hundreds of other responses. */
export class FileCache {
  readonly #produce: (request: FileRequest) => ProducedFile
  /** The one that was read last is at the end. */
  readonly #files = new Map<string, ProducedFile>()
  #bytes = 0

  constructor(produce = produceFile) {
    this.#produce = produce
  }

  /** The file. It is produced when it is not in the cache. */
  read(request: FileRequest): ProducedFile {
    const key = fileKey(request)
    const file = this.#files.get(key) ?? this.#produce(request)
    this.#drop(key)
    this.#files.set(key, file)
    this.#bytes += file.bytes.byteLength
    for (const oldest of this.#files.keys()) {
      if (this.#bytes <= MOST_BYTES) break
      this.#drop(oldest)
    }
    return file
  }

  /** The length of the file, if it is known without producing it. */
  knownLength(request: FileRequest): number | undefined {
    return this.#files.get(fileKey(request))?.bytes.byteLength
  }

  #drop(key: string): void {
    this.#bytes -= this.#files.get(key)?.bytes.byteLength ?? 0
    this.#files.delete(key)
  }
}
