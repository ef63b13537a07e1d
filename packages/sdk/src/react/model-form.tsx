/** @jsxImportSource react */
import type { Model } from '@modelrun/contract'
import { type ComponentPropsWithoutRef, type ReactElement, type ReactNode, useId } from 'react'
import type { ModelRun } from '../client/client.ts'
import type { AnyModelId, ModelId, ModelInput } from '../client/models/model-inputs.ts'
import { FormField, readField } from './form-field.tsx'
import { getDefaultClient } from './page-runs.ts'
import { useModel } from './use-model.ts'

/** Properties of {@link ModelForm}; all others of a `form` are passed on. */
export interface ModelFormProps<Id extends AnyModelId = string>
  extends Omit<ComponentPropsWithoutRef<'form'>, 'onSubmit'> {
  /** The id of the model, which is read by the client; or the model with its `input_schema`. */
  model: ModelId<Id> | Model
  /** Gets what the user has entered, with the types of the schema. `run` of `useRun` fits. */
  onSubmit(input: ModelInput<NoInfer<Id>>): unknown
  /** Reads the model. Default: a client for a proxy at `/api/modelrun`. */
  client?: ModelRun | undefined
  /** Shown instead of the form until the model is read, and with the error when it cannot be. */
  fallback?: ((error: unknown) => ReactNode) | undefined
  /** What follows the fields. Default: a button `Run`. */
  children?: ReactNode
}

/**
 * A form for the input of a model, made from its `input_schema`: each parameter has a labelled field with its default, and
 * the browser checks what is required, and the range of numbers. It has no styles; each field is in a
 * `<div data-parameter="prompt">`.
 *
 * @example
 * const { run, status } = useRun('aurora-image')
 * return <ModelForm model="aurora-image" onSubmit={run}><button disabled={status === 'running'}>Draw</button></ModelForm>
 */
export function ModelForm<const Id extends AnyModelId>(props: ModelFormProps<Id>): ReactElement {
  const { model: given, onSubmit, client = getDefaultClient(), fallback = () => null, children, ...rest } = props
  const { model, error } = useModel(client, given)
  const formId = useId()
  const { properties = {}, required = [] } = model?.input_schema ?? {}
  if (model === undefined) return <>{fallback(error)}</>
  const readInput = (form: HTMLFormElement) => {
    const data = new FormData(form)
    const entries = Object.entries(properties).map(([name, property]) => [name, readField(property, data.get(name))])
    // Made from the schema of the model, which the type of its input is made from too.
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ModelInput<Id>
  }
  return (
    <form
      key={model.id}
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(readInput(event.currentTarget))
      }}
    >
      {Object.entries(properties).map(([name, property]) => (
        <FormField
          key={name}
          id={`${formId}-${name}`}
          name={name}
          property={property}
          isRequired={required.includes(name)}
        />
      ))}
      {children ?? <button type="submit">Run</button>}
    </form>
  )
}
