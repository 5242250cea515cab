import { Divider, MultiSelect, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { AgentSetting } from '../../api/bodies';
import { options, words } from '../../display/wording';

interface Props {
  settings: AgentSetting[];
  values: Record<string, string>;
  errors: Record<string, React.ReactNode>;
  onChange: (path: string, value: string) => void;
}

/** Thresholds and windows of an agent type, with the limits and defaults that the service names. */
export function AgentSettings({ settings, values, errors, onChange }: Props) {
  if (settings.length === 0) return null;
  return (
    <>
      <Divider label="Thresholds" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {settings.map(({ path, description, default: usual, minimum, maximum, choices }) => {
          const value = values[path] ?? String(usual);
          const label = words(path.replace('.', ': '));
          const error = errors[`settings.${path}`];
          if (typeof usual === 'boolean') {
            return (
              <Switch
                key={path}
                label={label}
                description={description}
                error={error}
                checked={value === 'true'}
                onChange={(event) => onChange(path, String(event.currentTarget.checked))}
              />
            );
          }
          if (choices)
            return (
              <MultiSelect
                key={path}
                label={label}
                description={description}
                error={error}
                data={options(choices)}
                value={value.split(',').flatMap((name) => name.trim() || [])}
                onChange={(names) => onChange(path, names.join(', '))}
                clearable
              />
            );
          return (
            <TextInput
              key={path}
              label={label}
              description={minimum ? `${description}: ${minimum} to ${maximum}` : description}
              placeholder={String(usual)}
              error={error}
              value={value}
              onChange={(event) => onChange(path, event.currentTarget.value)}
            />
          );
        })}
      </SimpleGrid>
    </>
  );
}
