// Short names for the wire bodies that the rooms use.
import type { components } from './schema';

type Schemas = components['schemas'];

export type Me = Schemas['MeBody'];
export type Recommendation = Schemas['RecommendationBody'];
export type Plan = Schemas['PlanBody'];
export type Agent = Schemas['AgentBody'];
export type AgentType = Schemas['AgentTypeBody'];
export type Action = Schemas['ActionRecordBody'];
export type Approval = Schemas['ApprovalBody'];
export type Model = Schemas['ModelBody'];
export type Guardrails = Schemas['GuardrailsBody'];
export type MaintenanceWindow = Schemas['MaintenanceWindowBody'];
export type Freeze = Schemas['FreezeBody'];
export type Exclusion = Schemas['ExclusionBody'];
export type Diagnosis = Schemas['DiagnosisBody'];
export type Rollout = Schemas['RolloutBody'];
export type RolloutMember = Schemas['RolloutMemberBody'];
export type Gate = Schemas['GateBody'];
export type Rule = Schemas['RuleBody'];
export type Prediction = Schemas['PredictionBody'];
export type Calendar = Schemas['CalendarBody'];
export type Occurrence = Schemas['OccurrenceBody'];
export type Anomaly = Schemas['AnomalyBody'];
export type Reading = Schemas['ReadingBody'];
export type AnomalySettings = Schemas['AnomalySettingsBody'];
export type GuardrailsStatus = Schemas['GuardrailsStatusBody'];
export type ErrorBudget = Schemas['ErrorBudgetBody'];
export type ThreatList = Schemas['ThreatListBody'];
export type Webhook = Schemas['WebhookBody'];
export type Channel = Schemas['ChannelBody'];
export type Delivery = Schemas['DeliveryBody'];
export type Dashboard = Schemas['DashboardBody'];
export type Costs = Schemas['CostsBody'];
export type Entry = Schemas['EntryBody'];
export type Search = Schemas['SearchBody'];
export type Stats = Schemas['StatsBody'];
export type Count = Schemas['CountBody'];
export type Counts = Schemas['CountsBody'];
export type SavedSearch = Schemas['SavedSearchBody'];
export type Connection = Schemas['ConnectionBody'];
export type Resource = Schemas['EstateResourceBody'];
/** One metric over time: `[ms since the epoch, value]`, oldest first. */
export type Series = Omit<Schemas['SeriesBody'], 'points'> & { points: number[][] };
export type User = Schemas['UserBody'];
export type Team = Schemas['TeamBody'];
export type Token = Schemas['TokenBody'];
