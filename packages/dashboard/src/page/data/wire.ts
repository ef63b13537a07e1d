// What the control API of the reference server responds with. Types alone: the page has none of its code.
import type { ControlResponses } from '@modelrun/reference-server'

export type JobRow = ControlResponses['JobRow']
export type JobStatus = JobRow['status']

export type Entry = ControlResponses['JournalEntry']
export type RequestEntry = Extract<Entry, { kind: 'request' }>
export type DeliveryEntry = Extract<Entry, { kind: 'delivery' }>
export type NoteEntry = Extract<Entry, { kind: 'note' }>

/** The life of a job: `GET /_reference/jobs/{id}/exchanges` of the reference server. */
export type Life = ControlResponses['Exchanges']
export type Exchange = Life['exchanges'][number]
export type RequestExchange = Extract<Exchange, { kind: 'request' }>
export type StateExchange = Extract<Exchange, { kind: 'job' }>
export type DeliveryExchange = Extract<Exchange, { kind: 'delivery' }>

/** What has happened, or what is new. */
export type ServerActivity = ControlResponses['Activity']
export type ClockState = ControlResponses['Clock']
export type ApiKey = ServerActivity['keys'][number]
export type DeliveryPlan = ControlResponses['Webhook']
export type AddedFault = ControlResponses['AddedFault']
/** A fault as the page writes it: its kind and route come from texts. */
export type Fault = Omit<AddedFault['fault'], 'kind' | 'route'> & { kind: string; route?: string }
export type OutputItem = ControlResponses['Output']['items'][number]
export type Model = ControlResponses['Model']
export type Property = Model['input_schema']['properties'][string]
