import {
  Button,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  TextInput,
} from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { metricNames } from '../../display/metric-names';
import { options } from '../../display/wording';
import { editable, mappingsQuery, type EditableRule } from './metric-sources';

const READINGS = [
  { value: 'gauge', label: 'Gauge: the value itself' },
  { value: 'counter', label: 'Counter: rate per second' },
];
const COMBINE = [
  { value: 'mean', label: 'Mean' },
  { value: 'min', label: 'Smallest' },
  { value: 'max', label: 'Largest' },
  { value: 'sum', label: 'Sum' },
];
const LOCATE = [
  { value: 'private_ip', label: 'Private IP address' },
  { value: 'name', label: 'Name' },
  { value: 'id', label: 'Provider id' },
  { value: 'tag', label: 'Tag' },
];

interface Props {
  rules: EditableRule[];
  /** Properties of the input of a rule's field. */
  field: (place: number, name: keyof EditableRule) => GetInputPropsReturnType;
  onAdd: (rules: EditableRule[]) => void;
  onRemove: (place: number) => void;
}

/** The rules of a metric source: which series make up which metric, and which label names the resource. */
export function MetricRules({ rules, field: fieldOf, onAdd, onRemove }: Props) {
  const ready = useQuery(mappingsQuery);
  return (
    <Stack gap="sm">
      {rules.map((rule, place) => {
        const field = (name: keyof EditableRule) => fieldOf(place, name);
        return (
          <Fieldset key={place} legend={`Rule ${place + 1}`}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              <Select
                label="Metric in Reeve"
                data={options(metricNames())}
                allowDeselect={false}
                searchable
                {...field('metric')}
              />
              <TextInput
                label="Series"
                description="Metric name, with label matchers if needed"
                placeholder={'node_cpu_seconds_total{mode="idle"}'}
                {...field('series')}
              />
              <TextInput
                label="Divide by"
                description="Series with the same labels"
                placeholder="node_memory_MemTotal_bytes"
                {...field('divide_by')}
              />
              <Select label="Read as" data={READINGS} allowDeselect={false} {...field('reading')} />
              <NumberInput
                label="Scale"
                description="-100 turns a free share into percent used"
                {...field('scale')}
              />
              <NumberInput label="Offset" description="Added after scaling" {...field('offset')} />
              <Select
                label="Several series of one resource"
                data={COMBINE}
                allowDeselect={false}
                {...field('combine')}
              />
              <TextInput label="Label that names the resource" {...field('label')} />
              <Select
                label="Match it with"
                data={LOCATE}
                allowDeselect={false}
                {...field('locate_by')}
              />
              {rule.locate_by === 'tag' && <TextInput label="Tag key" {...field('tag')} />}
            </SimpleGrid>
            <Group justify="flex-end" mt="sm">
              <Button size="xs" variant="default" onClick={() => onRemove(place)}>
                Remove rule {place + 1}
              </Button>
            </Group>
          </Fieldset>
        );
      })}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => onAdd([editable()])}
        >
          Add a rule
        </Button>
        {ready.data?.items.map((mapping) => (
          <Button
            key={mapping.name}
            size="xs"
            variant="default"
            title={mapping.description}
            leftSection={<IconPlus size={14} />}
            onClick={() => onAdd(mapping.rules.map(editable))}
          >
            Add rules for {mapping.name}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
