import type { Signal } from '@preact/signals'
import type { InputHTMLAttributes } from 'preact'
import { Icon } from './icon.tsx'

/** The properties of a field whose text is kept in a signal. */
export function typed(value: Signal<string>) {
  return {
    value: value.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      value.value = currentTarget.value
    },
  }
}

export function Search({ label, value, set }: { label: string; value: string; set: (text: string) => void }) {
  return (
    <label class="search">
      <Icon name="search" />
      <input
        type="search"
        placeholder={label}
        aria-label={label}
        value={value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
    </label>
  )
}

interface ChoiceProps<Value extends string> {
  label: string
  /** What is shown, by value. */
  options: Readonly<Record<Value, string>>
  value: Value | undefined
  set: (value: Value) => void
}

export function Select<Value extends string>({ label, options, value, set }: ChoiceProps<Value>) {
  return (
    <label class="field">
      <span>{label}</span>
      {/* The options have no other values. */}
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value as Value)}>
        {Object.entries<string>(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** One of a few, all in sight. */
export function Segments<Value extends string>({ label, options, value, set }: ChoiceProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {Object.entries<string>(options).map(([option, text]) => (
        <label key={option}>
          {/* The options have no other values. */}
          <input type="radio" name={label} checked={value === option} onChange={() => set(option as Value)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}

export function InputField({ label, ...input }: InputHTMLAttributes & { label: string }) {
  return (
    <label class="field">
      <span>{label}</span>
      <input {...input} />
    </label>
  )
}

/** What was typed, as a number; `undefined` for nothing. */
export function numberIn({ value }: Signal<string>): number | undefined {
  return value.trim() === '' || Number.isNaN(Number(value)) ? undefined : Number(value)
}
