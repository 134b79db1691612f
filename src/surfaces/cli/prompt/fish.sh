# Talking Stick in the prompt. It reads two small files and starts no program.
function _tt_prompt
    set -l dir @DIRECTORY@
    set -l at (pwd -P 2>/dev/null | string collect)
    set -l n (string length -- (string replace -ra '[^/]' '' -- "$at"))
    while test -n "$at"
        if test -f "$dir/$n$at"
            set -l room ''
            set -l mail ''
            read room <"$dir/$n$at"
            test -f "$dir/person"; and read mail <"$dir/person"
            set room (string trim -- "$room")
            set -l line (string trim -- "$room $mail")
            test -n "$line"; and echo -n "[$line] "
            return
        end
        set at (string replace -r '/[^/]*\z' '' -- "$at" | string collect)
        set n (math $n - 1)
    end
end
function _tt_status
    return $argv[1]
end
# Only if it is missing: a configuration may define the prompt again.
if not functions fish_prompt | string match -q '*_tt_prompt*'
    functions -e _tt_fish_prompt
    functions -c fish_prompt _tt_fish_prompt
    function fish_prompt
        set -l code $status
        _tt_prompt
        _tt_status $code
        _tt_fish_prompt
    end
end
