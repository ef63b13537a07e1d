import type { Signal } from '@preact/signals'
import { Icon } from './icon.tsx'

interface SearchProps {
  label: string
  value: string
  set: (text: string) => void
}

/** A search field. */
export function Search({ label, value, set }: SearchProps) {
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

interface SelectProps {
  label: string
  options: readonly string[]
  value: string
  set: (option: string) => void
  /** How an option is shown. */
  show?: (option: string) => string
}

/** A choice with its name. */
export function Select({ label, options, value, set, show = (option) => option }: SelectProps) {
  return (
    <label class="field inline">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {show(option)}
          </option>
        ))}
      </select>
    </label>
  )
}

interface SegmentsProps<Value extends string> {
  label: string
  options: readonly { value: Value; label: string }[]
  value: Signal<Value>
}

/** One of a few, all in sight. */
export function Segments<Value extends string>({ label, options, value }: SegmentsProps<Value>) {
  return (
    <fieldset class="segments">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={label}
            value={option.value}
            checked={value.value === option.value}
            onChange={() => {
              value.value = option.value
            }}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface NumberFieldProps {
  label: string
  value: Signal<string>
  min?: number
  max?: number
  step?: number | 'any'
  placeholder?: string
}

/** A number, as text while it is typed. */
export function NumberField({ label, value, min = 0, max, step = 'any', placeholder }: NumberFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        max={max}
        step={step}
        placeholder={placeholder}
        value={value.value}
        onInput={({ currentTarget }) => {
          value.value = currentTarget.value
        }}
      />
    </label>
  )
}

/** What was typed, as a number; `undefined` for nothing. */
export function numberIn({ value }: Signal<string>): number | undefined {
  return value.trim() === '' || Number.isNaN(Number(value)) ? undefined : Number(value)
}
