import { useSignal } from '@preact/signals'
import { hasToken, setToken } from './data/control.ts'
import { Button } from './ui/button.tsx'
import { InputField, typed } from './ui/fields.tsx'

/** Asked for where the server was called from another machine, or under another name. */
export function TokenForm() {
  const token = useSignal('')
  const submit = (event: Event) => {
    event.preventDefault()
    setToken(token.value.trim())
  }
  return (
    <main class="token">
      <form class="card form" onSubmit={submit}>
        <h1>Control token</h1>
        <p>
          This server was called from another machine or under another name. It printed the token,{' '}
          <code>x-reference-token</code>, when it started.
        </p>
        {hasToken() && (
          <p class="bad" role="alert">
            The server does not accept this token.
          </p>
        )}
        <InputField label="Token" type="password" autocomplete="off" required {...typed(token)} />
        <Button type="submit" kind="primary">
          Continue
        </Button>
      </form>
    </main>
  )
}
