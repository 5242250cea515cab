import {
  Alert,
  Divider,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Skeleton,
  Switch,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { AnomalySettings } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DialogForm, FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { metricNames } from '../../../display/metric-names';
import { options } from '../../../display/wording';
import { useChange } from '../queries';
import { anomalySettingsQuery, setAnomalySettings } from './queries';
import { initial, wire, type SettingsFields } from './settings-fields';

interface Props {
  locked: boolean;
  onClose: () => void;
}

/** How readily each class of anomaly is called. */
export function AnomalySettingsDialog({ locked, onClose }: Props) {
  const { data, error, refetch } = useQuery(anomalySettingsQuery);
  return (
    <FormModal onClose={onClose} size="lg" title="Detection settings">
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={320} />}
      {data && <Settings key={data.version} of={data} locked={locked} onClose={onClose} />}
    </FormModal>
  );
}

const SENSITIVITIES = [
  { value: 'low', label: 'Low: only large deviations' },
  { value: 'medium', label: 'Medium' },
  { value: 'high', label: 'High: more anomalies, more false alarms' },
];
// Measured: the table of sensitivities in docs/learning/anomalies.md.
const ALARMS_A_WEEK: Record<string, string> = {
  low: 'Expect about 0.2 false alarms per metric and week, 0.6 on machines that idle and burst',
  medium: 'Expect about 0.4 false alarms per metric and week, 0.9 on machines that idle and burst',
  high: 'Expect about 0.5 false alarms per metric and week, 1.6 on machines that idle and burst',
};
/** Words of the service for metrics that settings may name beside the table's. */
const OTHER_NAMES = ['latency', 'throughput'];
const ALERT = { value: 'alert', label: 'Notify' };
const REMEDY = {
  value: 'auto_remediate',
  label: 'Notify, investigate, and let active agents respond immediately',
};
const ACTIONS = {
  performance: [ALERT, { value: 'auto_investigate', label: 'Notify and investigate' }, REMEDY],
  security: [
    ALERT,
    { value: 'auto_investigate', label: 'Notify and investigate' },
    { value: 'alert_and_quarantine', label: 'Notify, investigate, and quarantine' },
  ],
  cost: [ALERT, { value: 'alert_and_analyze', label: 'Notify and investigate' }, REMEDY],
};
const MARKED = [
  'cost.threshold',
  'cost.window',
  'cost.baseline',
  'cost.action',
  'performance.metrics',
  'performance.sensitivity',
  'performance.action',
  'security.sensitivity',
  'security.action',
];

function Settings({ of: settings, locked, onClose }: { of: AnomalySettings } & Props) {
  const save = useChange(setAnomalySettings);
  const form = useForm<SettingsFields>({ initialValues: initial(settings) });
  const submit = form.onSubmit((values) =>
    save.mutate(wire(values, settings.version), {
      onSuccess: () => {
        announce('Detection settings saved.');
        onClose();
      },
      onError: (error) => form.setErrors(fieldMessages(error)),
    }),
  );
  const whole = (label: string, field: string, suffix: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      min={1}
      allowDecimal={false}
      suffix={suffix}
      readOnly={locked}
      {...form.getInputProps(field)}
    />
  );
  const action = (of: keyof typeof ACTIONS) => (
    <Select
      label="What is done"
      aria-label={`Response to ${of}`}
      data={ACTIONS[of]}
      allowDeselect={false}
      readOnly={locked}
      {...form.getInputProps(`${of}.action`)}
    />
  );
  return (
    <DialogForm
      submit={locked ? undefined : 'Save'}
      error={save.error}
      marked={MARKED}
      pending={save.isPending}
      disabled={!form.isDirty()}
      onSubmit={submit}
      onClose={onClose}
    >
      {locked && (
        <Alert color="gray" variant="light">
          Read-only. Only operators and administrators can change this.
        </Alert>
      )}
      <Divider label="Performance and operations" labelPosition="left" />
      <MultiSelect
        label="Metrics that are watched"
        description="Leave empty for all metrics"
        data={options([...metricNames(), ...OTHER_NAMES])}
        clearable
        searchable
        readOnly={locked}
        {...form.getInputProps('performance.metrics')}
      />
      <Select
        label="Sensitivity"
        aria-label="Sensitivity to performance"
        description={ALARMS_A_WEEK[form.values.performance.sensitivity]}
        data={SENSITIVITIES}
        allowDeselect={false}
        readOnly={locked}
        {...form.getInputProps('performance.sensitivity')}
      />
      {action('performance')}
      <Divider label="Security" labelPosition="left" />
      <Switch
        label="Detect unusual access"
        description="Compares users and programs with their own history and with similar ones"
        disabled={locked}
        {...form.getInputProps('security.behavioral_analysis', { type: 'checkbox' })}
      />
      <Select
        label="Sensitivity"
        aria-label="Sensitivity to behavior"
        data={SENSITIVITIES}
        allowDeselect={false}
        readOnly={locked}
        {...form.getInputProps('security.sensitivity')}
      />
      <Switch
        label="Check addresses and programs against your threat lists"
        description="Manage them under Anomalies, Threat lists"
        disabled={locked}
        {...form.getInputProps('security.threat_intelligence', { type: 'checkbox' })}
      />
      {action('security')}
      <Divider label="Cost" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {whole('Threshold', 'cost.threshold', ' %', 'Above or below the baseline')}
        {whole('Window', 'cost.window', ' h', 'Hourly below 24 h')}
        {whole('Baseline', 'cost.baseline', ' days', 'Averaging window')}
      </SimpleGrid>
      {action('cost')}
    </DialogForm>
  );
}
