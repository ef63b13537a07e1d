import type { Model, Property } from '../data/wire.ts'

/** The values of a form, by parameter. What is missing is left out of the run. */
export type Values = Readonly<Record<string, unknown>>

interface FormProps {
  model: Model
  values: Values
  set: (values: Values) => void
}

/** A form made from the `input_schema` of a model. */
export function InputForm({ model, values, set }: FormProps) {
  const { properties = {}, required = [] } = model.input_schema ?? {}
  const setOne = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values
    set(value === undefined || value === '' ? others : { ...others, [name]: value })
  }
  return (
    <div class="form">
      {Object.entries(properties).map(([name, property]) => (
        <Field
          key={name}
          id={`input-${name}`}
          name={name}
          property={property}
          isRequired={required.includes(name)}
          value={values[name]}
          set={(value) => setOne(name, value)}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  id: string
  name: string
  property: Property
  value: unknown
  isRequired: boolean
  set: (value: unknown) => void
}

function Field(props: FieldProps) {
  const { id, name, property, isRequired } = props
  return (
    <div class={property.type === 'boolean' ? 'field check' : 'field'}>
      <label for={id}>
        <span class="mono">{name}</span>
        {isRequired && <span class="required">required</span>}
      </label>
      <Control {...props} />
      {property.description && (
        <p class="muted small" id={`${id}-text`}>
          {property.description}
        </p>
      )}
    </div>
  )
}

function Control({ id, property, value, isRequired, set }: FieldProps) {
  const { type, enum: options, minimum, maximum } = property
  const isNumber = type === 'integer' || type === 'number'
  const common = { id, 'aria-describedby': `${id}-text`, required: isRequired && type !== 'boolean' }
  if (type === 'boolean') {
    return (
      <input
        {...common}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    )
  }
  const text = {
    ...common,
    value: value === undefined ? '' : String(value),
    onInput: ({ currentTarget: { value: typed } }: { currentTarget: { value: string } }) =>
      set(options?.find((option) => String(option) === typed) ?? (isNumber && typed !== '' ? Number(typed) : typed)),
  }
  if (options !== undefined) {
    return (
      <select {...text}>
        {property.default === undefined && <option value="">not set</option>}
        {options.map((option) => (
          <option key={String(option)} value={String(option)}>
            {String(option)}
          </option>
        ))}
      </select>
    )
  }
  if (isNumber)
    return <input {...text} type="number" min={minimum} max={maximum} step={type === 'integer' ? 1 : 'any'} />
  return id.endsWith('url') ? <input {...text} type="url" /> : <textarea {...text} rows={3} />
}

const SAMPLES: Readonly<Record<string, string>> = {
  prompt: 'a lighthouse at dawn',
  text: 'The tide is coming in.',
  image_url: 'https://example.com/harbour.png',
}

/** Values to start with: defaults, and something to try for what is required. */
export function startValues({ input_schema }: Model): Values {
  const { properties = {}, required = [] } = input_schema ?? {}
  const entries = Object.entries(properties).map(([name, property]) => {
    const sample = required.includes(name) ? (SAMPLES[name] ?? sampleOf(property)) : undefined
    return [name, property.default ?? sample] as const
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function sampleOf({ type, enum: options, minimum }: Property): unknown {
  if (options !== undefined) return options[0]
  return type === 'string' ? 'a red fox' : type === 'boolean' ? false : (minimum ?? 1)
}
