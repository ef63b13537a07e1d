import { ModelRunError } from '@modelrun/kit'

/** An expected job was given up: the service does not know it, or it has not ended within `giveUpAfterMs`. */
export class JobLostError extends ModelRunError {
  override get name(): 'JobLostError' {
    return 'JobLostError'
  }
  override get code(): 'job_lost' {
    return 'job_lost'
  }
}
