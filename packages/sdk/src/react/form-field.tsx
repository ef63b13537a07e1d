/** @jsxImportSource react */
import type { InputProperty } from '@modelrun/contract'
import type { ReactElement } from 'react'

interface FieldProps {
  id: string
  name: string
  property: InputProperty
  isRequired: boolean
}

/** The field of one parameter. Its value is in the form under the name of the parameter. */
export function FormField({ id, name, property, isRequired }: FieldProps): ReactElement {
  const text = describe(property)
  const textId = text === '' ? undefined : `${id}-text`
  return (
    <div data-parameter={name}>
      <label htmlFor={id}>{name.replaceAll('_', ' ')}</label>
      <Control id={id} name={name} property={property} isRequired={isRequired} textId={textId} />
      {textId && <p id={textId}>{text}</p>}
    </div>
  )
}

function Control({ id, name, property, isRequired, textId }: FieldProps & { textId: string | undefined }) {
  const { default: start, minimum, maximum, enum: options } = property
  const kind = kindOf(property)
  const text = typeof start === 'object' ? JSON.stringify(start) : start === undefined ? '' : String(start)
  const common = { id, name, required: isRequired, 'aria-describedby': textId }
  switch (kind) {
    case 'choice':
      return (
        <select {...common} defaultValue={text}>
          {start === undefined && <option value="" />}
          {options?.map((option) => (
            <option key={String(option)}>{String(option)}</option>
          ))}
        </select>
      )
    case 'boolean':
      // A box that is required would have to be checked.
      return <input {...common} type="checkbox" required={false} defaultChecked={start === true} />
    case 'integer':
    case 'number':
      return (
        <input
          {...common}
          type="number"
          min={minimum}
          max={maximum}
          step={kind === 'integer' ? 1 : 'any'}
          defaultValue={text}
        />
      )
    case 'json':
      return (
        <textarea
          {...common}
          rows={3}
          defaultValue={text}
          onInput={({ currentTarget }) => currentTarget.setCustomValidity(problemOf(currentTarget.value))}
        />
      )
    default:
      return name.endsWith('url') ? (
        <input {...common} type="url" defaultValue={text} />
      ) : (
        <textarea {...common} rows={3} defaultValue={text} />
      )
  }
}

type FieldKind = 'choice' | 'boolean' | 'integer' | 'number' | 'json' | 'text'

function kindOf({ type, enum: options }: InputProperty): FieldKind {
  if (options !== undefined) return 'choice'
  const [first = 'string'] = [type ?? []].flat().filter((name) => name !== 'null')
  if (first === 'string') return 'text'
  return first === 'boolean' || first === 'integer' || first === 'number' ? first : 'json'
}

/** The value of a parameter in a form that was sent; undefined for an empty field. */
export function readField(property: InputProperty, data: FormDataEntryValue | null): unknown {
  const kind = kindOf(property)
  if (kind === 'boolean') return data !== null
  if (typeof data !== 'string' || data === '') return undefined
  if (kind === 'choice') return property.enum?.find((option) => String(option) === data)
  if (kind === 'json') return JSON.parse(data)
  return kind === 'text' ? data : Number(data)
}

function problemOf(text: string): string {
  try {
    if (text !== '') JSON.parse(text)
    return ''
  } catch (error) {
    return String(error)
  }
}

function describe({ description = '', minimum, maximum, enum: options }: InputProperty): string {
  if (options !== undefined || (minimum === undefined && maximum === undefined)) return description
  const range = [minimum === undefined ? '' : `at least ${minimum}`, maximum === undefined ? '' : `at most ${maximum}`]
  return `${description} (${range.filter((part) => part !== '').join(', ')})`.trim()
}
