import type { Assumptions, RejectionKind } from '@modelrun/contract'
import { type AssumptionOptions, type CheckName, DEFAULT_ASSUMPTIONS } from '@modelrun/contract/assumptions'
import type { CatalogModel } from '../domain/catalog.ts'
import { type Exchange, errorIn, errorMembersIn } from './exchange.ts'
import { ACCEPTABLE } from './mistakes.ts'

/** What was learned of a service from the traffic with it. */
export interface Recording {
  /** URL of the service. */
  service: string
  /** How many requests were recorded. */
  exchanges: number
  /** The models that were listed, read or run, with what their runs did. */
  catalog: readonly CatalogModel[]
  /** The choices of the service where the specification is silent. */
  profile: AssumptionOptions
  /** What was seen and the reference server does not do, a line for each. */
  notReplayed: readonly string[]
}

const MAX_NOTES = 100

/** What the traffic has shown of the points that the specification leaves open. The newest observation counts. */
export class Findings {
  profile: AssumptionOptions
  /** What was seen and the reference server does not do, each once. */
  readonly notReplayed: Set<string>

  constructor(profile: AssumptionOptions = {}, notReplayed: readonly string[] = []) {
    this.profile = profile
    this.notReplayed = new Set(notReplayed)
  }

  set(part: AssumptionOptions): void {
    const rejections = { ...this.profile.rejections, ...part.rejections }
    this.profile = { ...this.profile, ...part, ...(Object.keys(rejections).length === 0 ? {} : { rejections }) }
  }

  /** A request was rejected for one thing. */
  rejected(kind: RejectionKind, exchange: Exchange): void {
    const { status, json } = exchange
    const code = errorIn(json)?.code
    if (code === undefined) this.note(exchange, 'an error without a code')
    else this.set({ rejections: { [kind]: { status, code, ...membersIn(json) } } })
  }

  /** What an error of another kind holds beside code and message, in the words of `errorMembers`. */
  held(kind: keyof Assumptions['errorMembers'], body: unknown): void {
    const { members } = membersIn(body)
    if (members !== undefined) this.set({ errorMembers: { ...this.profile.errorMembers, [kind]: members } })
  }

  /** A request was accepted although something in it was wrong, and how. What was seen to be rejected once stays so. */
  accepted(kind: RejectionKind, how = 'accepted'): void {
    if (ACCEPTABLE.includes(kind) && this.profile.rejections?.[kind] === undefined) {
      this.set({ rejections: { [kind]: how } })
    }
  }

  /** Of several mistakes, the one that a response reports by its status and code; `undefined` where that is not known. */
  reported(kinds: readonly RejectionKind[], { status, json }: Exchange): RejectionKind | undefined {
    const textOf = (rejection: unknown) => JSON.stringify(rejection, ['status', 'code'])
    const shown = textOf({ status, code: errorIn(json)?.code })
    const known = kinds.map((kind) => textOf(this.profile.rejections?.[kind]))
    const isCertain = known.every((one) => one !== undefined) && known.filter((one) => one === shown).length === 1
    return isCertain ? kinds[known.indexOf(shown)] : undefined
  }

  /** One check is made before others (section 7). */
  comesFirst(check: CheckName, others: readonly CheckName[]): void {
    const order = this.profile.checkOrder ?? DEFAULT_ASSUMPTIONS.checkOrder
    const first = order.find((name) => others.includes(name) && name !== check)
    if (first === undefined || order.indexOf(check) < order.indexOf(first)) return
    const checkOrder = order.flatMap((name) => (name === check ? [] : name === first ? [check, name] : [name]))
    this.set({ checkOrder })
  }

  /** A wrong input was accepted, and its job succeeded: the service does not mind. The reference server lets such a job fail. */
  retract(kind: RejectionKind): void {
    const { [kind]: known, ...rejections } = this.profile.rejections ?? {}
    if (known !== 'accepted') return
    this.profile = { ...this.profile, rejections }
    this.#add(`a run that succeeded (${kind} by the schema of its model; the reference server rejects it)`)
  }

  note({ method, status, json }: Exchange, reason: string): void {
    this.#add([method, status, errorIn(json)?.code ?? '', `(${reason})`].filter((part) => part).join(' '))
  }

  #add(line: string): void {
    if (this.notReplayed.size < MAX_NOTES) this.notReplayed.add(line)
  }
}

function membersIn(body: unknown): Pick<Exclude<Assumptions['rejections']['unknownJob'], string>, 'members'> {
  const members = errorMembersIn(body)
  return Object.keys(members).length === 0 ? {} : { members }
}
