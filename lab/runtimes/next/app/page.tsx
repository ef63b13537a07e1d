import { generate } from './actions'

/** A form that calls the action of the guide. */
export default function Page() {
  async function submit(form: FormData) {
    'use server'
    await generate(String(form.get('prompt')))
  }
  return (
    <form action={submit}>
      <input name="prompt" />
    </form>
  )
}
